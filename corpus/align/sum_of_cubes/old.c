unsigned cubes(unsigned short n)
{
    unsigned i, s = 0;

    for (i = 1; i <= n; i++)
        s += i * i * i;
    return s;
}
