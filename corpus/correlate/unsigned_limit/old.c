void put(int n);

int fill(int n, int limit)
{
    int i;

    if (n > limit)
        n = limit;
    for (i = 0; i < n; i++)
        put(i);
    return n;
}
