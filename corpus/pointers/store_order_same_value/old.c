void clear_pair(unsigned char *p, unsigned char *q)
{
    *p = 0;
    *q = 0;
}
