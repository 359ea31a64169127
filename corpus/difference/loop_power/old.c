int f(int n)
{
    int i, p = 1;

    for (i = 0; i < n && i < 5; ++i)
        p *= 2;
    return p;
}
