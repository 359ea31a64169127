void put(int n);

void show(int from, int to)
{
    int i;

    for (i = from; i < to; i++)
        put(i);
}
