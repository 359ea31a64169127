void put(int c);

void list(const int *v, int n)
{
    int i;

    for (i = 0; i < n; i++) {
        if (i > 0)
            put(',');
        put(v[i]);
    }
}
