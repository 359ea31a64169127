unsigned cubes(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += i * i * i ^ 21;
    return s;
}
