void put(int n);

int show(int n, int by)
{
    int i;

    for (i = 1; i <= 3; i++)
        put((n + i) / by);
    return 1;
}
