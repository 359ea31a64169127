void swap(unsigned char *p, unsigned char *q)
{
    unsigned char t = *p;
    *p = *q;
    *q = t;
}
