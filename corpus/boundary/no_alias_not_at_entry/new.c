int twice(int *p, int *q)
{
    q = p;
    *p = 1;
    *q = 2;
    return 1;
}
