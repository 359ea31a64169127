int sum(int (*m)[6])
{
    int i, j, s = 0;

    for (i = 0; i < 6; i++)
        for (j = 0; j < 6; j++)
            s += m[i][j];
    return s;
}
