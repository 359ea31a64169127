void put(int n);

int show(int n, int by)
{
    int i;

    if (by == 0)
        return 0;
    for (i = 1; i <= 3; i++)
        put((n + i) / by);
    return 1;
}
