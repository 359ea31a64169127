void put(int n);

void show(int n, int wide)
{
    int i, size = wide ? 8 : 4;

    for (i = 0; i < n; i++)
        put(i * size);
}
