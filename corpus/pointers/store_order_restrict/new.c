void init_pair(unsigned char *restrict p, unsigned char *restrict q)
{
    *q = 2;
    *p = 1;
}
