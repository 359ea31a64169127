void put(int n);

int count_up(int n, int stop)
{
    int i = 0, done = 0;

    while (i < n && done == 0) {
        put(i);
        if (stop == i)
            done = 1;
        i += 1;
    }
    return i;
}
