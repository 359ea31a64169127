int count(int n)
{
    int i, c = 0;

    for (i = 0; i < n; i += 2)
        c++;
    return c;
}
