int best_row(int (*m)[4], unsigned char n)
{
    int i, best = 0;

    for (i = 0; i < n; i++) {
        int s = m[i][0] + m[i][1] + m[i][2] + m[i][3];
        if (i == 0 || s > best)
            best = s;
    }
    return best;
}
