unsigned scaled(const unsigned char *p, unsigned d)
{
    unsigned v = *p;
    return v + 100 / d;
}
