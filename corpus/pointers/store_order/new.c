void init_pair(int *p, int *q)
{
    *q = 2;
    *p = 1;
}
