void multiply(int (*restrict c)[3], int (*restrict a)[3], int (*restrict b)[3])
{
    int i, j, k;

    for (i = 0; i < 3; i++) {
        for (j = 0; j < 3; j++)
            c[i][j] = 0;
        for (k = 0; k < 3; k++)
            for (j = 0; j < 3; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}
