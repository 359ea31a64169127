void clear_pair(int *p, int *q)
{
    *q = 0;
    *p = 0;
}
