void put(int n);

int show(int n)
{
    int i;

    if (n < 0)
        return -2;
    for (i = 0; i < n; i++)
        put(i);
    return 0;
}
