unsigned find(const unsigned *v, unsigned n, unsigned x)
{
    unsigned i;

    for (i = 0; i < n; i++)
        if (v[i] == x)
            break;
    return i;
}
