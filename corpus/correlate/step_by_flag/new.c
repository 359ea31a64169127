void put(int n);

void show(int n, int fast)
{
    int i;

    for (i = 0; i < n; i += fast == 1 ? 2 : 1)
        put(i);
}
