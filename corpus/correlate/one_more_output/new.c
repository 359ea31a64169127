void put(int n);

void show(int n)
{
    int i;

    for (i = 0; i <= n; i++)
        put(i);
}
