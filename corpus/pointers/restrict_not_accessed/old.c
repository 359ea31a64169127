int touches(int *restrict p, int *restrict q, int i, int c)
{
    if (c) {
        p[i] = 1;
        q[0] = 2;
    }
    return p + i == q;
}

int touches_one(int *restrict p, int *restrict q, int i, int c)
{
    if (c)
        p[i] = 1;
    else
        q[0] = 3;
    return p + i == q;
}
