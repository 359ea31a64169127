void init_pair(unsigned char *restrict p, unsigned char *restrict q)
{
    *p = 1;
    *q = 2;
}
