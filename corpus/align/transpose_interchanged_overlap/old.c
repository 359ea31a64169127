void transpose(int (*to)[4], int (*from)[4])
{
    int i, j;

    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++)
            to[j][i] = from[i][j];
}
