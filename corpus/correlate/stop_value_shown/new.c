int next(void);
void put(int n);

void show(int stop)
{
    int n;

    for (;;) {
        n = next();
        put(n);
        if (n == stop)
            break;
    }
}
