long sum(const short *v, unsigned n)
{
    const short *end = v + n;
    long s = 0;

    while (v != end)
        s += *v++;
    return s;
}
