int mean(const short *v, unsigned char n)
{
    const short *p = v;
    int s = 0, left = n;

    if (n == 0)
        return 0;
    do
        s += *p++;
    while (--left > 0);
    return s / n;
}
