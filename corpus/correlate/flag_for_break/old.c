int next(void);
void put(int n);

void show(int limit)
{
    int n;

    for (;;) {
        n = next();
        if (n >= limit)
            break;
        put(n);
    }
}
