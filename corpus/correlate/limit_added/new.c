void put(int n);

int show(int n)
{
    int i;

    if (n < 0 || n > 100)
        return -1;
    for (i = 0; i < n; i++)
        put(i);
    return 0;
}
