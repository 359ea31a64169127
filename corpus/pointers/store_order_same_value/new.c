void clear_pair(unsigned char *p, unsigned char *q)
{
    *q = 0;
    *p = 0;
}
