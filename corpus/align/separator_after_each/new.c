void put(int c);

void list(const int *v, int n)
{
    int i;

    if (n <= 0)
        return;
    for (i = 0; i < n; i++) {
        put(',');
        put(v[i]);
    }
}
