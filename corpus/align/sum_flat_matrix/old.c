int sum(int (*m)[8])
{
    int i, j, s = 0;

    for (i = 0; i < 4; i++)
        for (j = 0; j < 8; j++)
            s += m[i][j];
    return s;
}
