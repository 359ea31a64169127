int set_and_get(unsigned char *p, const unsigned char *q, unsigned char x)
{
    unsigned char v = *q;
    *p = x;
    return p == q ? x : v;
}
