enum status { OK, BUSY, FAILED };

int known(unsigned s)
{
    return (enum status)s < 3;
}
