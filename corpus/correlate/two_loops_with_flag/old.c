void put(int n);
void log_value(int n);

void show(int n, int log)
{
    int i;

    for (i = 0; i < n; i++) {
        if (log)
            log_value(i);
        put(i);
    }
}
