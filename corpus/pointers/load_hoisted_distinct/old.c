int set_and_get(int *p, const int *q, int x)
{
    *p = x;
    return *q;
}
