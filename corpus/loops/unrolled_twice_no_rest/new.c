int count(int n)
{
    int i, c = 0;

    for (i = 0; i + 1 < n; i += 2)
        c += 2;
    return c;
}
