static int limit(int k)
{
    return k < 0 ? 0 : k > 1000 ? 1000 : k;
}

unsigned mix(int k)
{
    unsigned s = 0;
    int i, n = limit(k);

    for (i = 0; i < n; i++)
        s = s * 9 + i;
    return s;
}
