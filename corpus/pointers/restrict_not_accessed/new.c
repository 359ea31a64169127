int touches(int *restrict p, int *restrict q, int i, int c)
{
    if (c) {
        p[i] = 1;
        q[0] = 2;
    }
    return 0;
}

int touches_one(int *restrict p, int *restrict q, int i, int c)
{
    if (c)
        p[i] = 1;
    else
        q[0] = 3;
    return 0;
}
