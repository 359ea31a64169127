void init_pair(unsigned char *p, unsigned char *q)
{
    *q = 2;
    *p = 1;
}
