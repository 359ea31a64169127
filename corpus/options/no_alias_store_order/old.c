void init_pair(unsigned char *p, unsigned char *q)
{
    *p = 1;
    *q = 2;
}
