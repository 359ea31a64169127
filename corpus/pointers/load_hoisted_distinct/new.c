int set_and_get(int *p, const int *q, int x)
{
    int v = *q;
    *p = x;
    return p == q ? x : v;
}
