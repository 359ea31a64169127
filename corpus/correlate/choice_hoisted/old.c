void put(int n);

void show(int n, int wide)
{
    int i;

    for (i = 0; i < n; i++)
        put(i * (wide ? 8 : 4));
}
