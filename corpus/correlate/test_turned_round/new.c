int next(void);
void put(int n);

void show(int times, int limit)
{
    int i, n;

    for (i = 0; i < times; i++) {
        n = next();
        if (limit <= n)
            n = limit;
        put(n);
    }
}
