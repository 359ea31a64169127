int f(int *p, const int *q)
{
    *p = 7;
    return *q;
}
