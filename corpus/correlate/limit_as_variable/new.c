void put(int n);

void show(int from, int count)
{
    int i, end = count + 2;

    for (i = 0; i < end; i++)
        put(i + from);
}
