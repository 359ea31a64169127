void put(int n);

void show(int n)
{
    int i, k = 0;

    for (i = 0; i < n; i++) {
        put(k);
        k += 4;
    }
}
