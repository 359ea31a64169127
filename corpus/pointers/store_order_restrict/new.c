void init_pair(int *restrict p, int *restrict q)
{
    *q = 2;
    *p = 1;
}
