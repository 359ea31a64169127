void put(int n);

void show(int from, int count)
{
    int i;

    for (i = 0; i < count + 2; i++)
        put(from + i);
}
