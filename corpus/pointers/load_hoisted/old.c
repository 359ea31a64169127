int set_and_get(unsigned char *p, const unsigned char *q, unsigned char x)
{
    *p = x;
    return *q;
}
