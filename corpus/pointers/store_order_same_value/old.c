void clear_pair(int *p, int *q)
{
    *p = 0;
    *q = 0;
}
