int next(void);
void put(int n);

void show(int stop)
{
    int n;

    for (;;) {
        n = next();
        if (n == stop)
            break;
        put(n);
    }
}
