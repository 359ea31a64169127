void init_pair(int *restrict p, int *restrict q)
{
    *p = 1;
    *q = 2;
}
