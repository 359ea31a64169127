unsigned scaled(const unsigned char *p, unsigned d)
{
    unsigned q = 100 / d;
    return q + *p;
}
