unsigned sum(unsigned (*m)[4], unsigned char rows)
{
    unsigned i, j, s = 0;

    for (j = 0; j < 4; j++)
        for (i = 0; i < rows; i++)
            s += m[i][j] * (j + 1);
    return s;
}
