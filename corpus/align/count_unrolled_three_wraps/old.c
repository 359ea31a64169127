unsigned mix(int n)
{
    unsigned s = 0;
    int i;

    for (i = 0; i < n; i++)
        s += (unsigned)i * 5;
    return s;
}
