int f(int *p, const int *q)
{
    int before = *q;

    *p = 7;
    return before;
}
