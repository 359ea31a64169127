enum status { NONE = -1, OK, BUSY, FAILED };

int known(unsigned s)
{
    return (enum status)s < 3;
}
