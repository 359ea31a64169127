int mean(const short *v, unsigned char n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += v[i];
    return s / n;
}
