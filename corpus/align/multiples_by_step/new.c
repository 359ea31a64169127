unsigned multiples(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i += 3)
        s += i ^ 1;
    return s;
}
