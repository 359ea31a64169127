void init_pair(int *p, int *q)
{
    *p = 1;
    *q = 2;
}
