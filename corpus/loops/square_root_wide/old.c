unsigned root(unsigned n)
{
    unsigned r = 0;

    while (r < 65535 && (r + 1) * (r + 1) <= n)
        r++;
    return r;
}
