void clear(short (*m)[8], unsigned char rows)
{
    unsigned i, j;

    for (j = 0; j < 8; j++)
        for (i = 0; i < rows; i++)
            m[i][j] = i ^ j;
}
