int next(void);
void put(int n);

void show(int limit)
{
    int n, go = 1;

    while (go) {
        n = next();
        if (n < limit)
            put(n);
        else
            go = 0;
    }
}
