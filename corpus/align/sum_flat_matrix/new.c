int sum(int (*m)[8])
{
    const int *p = &m[0][0];
    int k, s = 0;

    for (k = 0; k < 32; k++)
        s += p[k];
    return s;
}
