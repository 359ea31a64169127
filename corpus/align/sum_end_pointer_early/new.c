long sum(const short *v, unsigned n)
{
    const short *end = v + n - (n > 0);
    long s = 0;

    while (v != end)
        s += *v++;
    return s;
}
