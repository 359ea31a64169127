void put(int n);

void show(int from, int to)
{
    int i = from;

    if (i >= to)
        return;
    do {
        put(i);
        i++;
    } while (i < to);
}
