int cells(int n)
{
    int i, c = 0;

    for (i = 0; i < n; i++)
        for (i = 0; i < 3; i++)
            c++;
    return c;
}
