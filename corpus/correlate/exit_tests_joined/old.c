void put(int n);

int count_up(int n, int stop)
{
    int i = 0, done = 0;

    while (!(i >= n || done)) {
        put(i);
        if (i == stop)
            done = 1;
        i++;
    }
    return i;
}
