void put(int c);

void list(const int *v, int n)
{
    int i;

    if (n <= 0)
        return;
    put(v[0]);
    for (i = 1; i < n; i++) {
        put(',');
        put(v[i]);
    }
}
