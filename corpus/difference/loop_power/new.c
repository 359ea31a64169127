int f(int n)
{
    int i, p = 1;

    for (i = 0; i < n && i < 4; ++i)
        p *= 2;
    return p;
}
