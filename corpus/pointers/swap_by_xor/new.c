void swap(unsigned char *p, unsigned char *q)
{
    *p ^= *q;
    *q ^= *p;
    *p ^= *q;
}
