void put(int n);
void log_value(int n);

void show(int n, int log)
{
    int i = 0;

    while (i < n) {
        if (log != 0)
            log_value(i);
        put(i++);
    }
}
