int sum(int (*m)[6])
{
    int i, j, s = 0;

    for (j = 0; j < 6; j++)
        for (i = j; i < 6; i++)
            s += m[i][j];
    return s;
}
