int best_row(int (*m)[4], unsigned char n)
{
    int i, j, best = 0;

    for (i = 0; i < n; i++) {
        int s = 0;
        for (j = 0; j < 4; j++)
            s += m[i][j];
        if (i == 0 || best < s)
            best = s;
    }
    return best;
}
