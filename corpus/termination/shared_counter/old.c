int cells(int n)
{
    int i, j, c = 0;

    for (i = 0; i < n; i++)
        for (j = 0; j < 3; j++)
            c++;
    return c;
}
