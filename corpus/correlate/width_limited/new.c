void put(int n);

void show(int n, int width)
{
    int i;

    if (width > 80)
        width = 80;
    for (i = 0; i < n; i++)
        put(i * width);
}
