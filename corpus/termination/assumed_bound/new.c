int mix(int n)
{
    int i, c = 0;

    for (i = 0; i < n + 1; i++)
        c ^= i;
    return c;
}
