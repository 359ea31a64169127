void put(int n);

int run(int n, int step)
{
    int i, low = 0, high = n;

    for (i = 0; i < n; i++) {
        high -= step;
        low += step;
        put(high - low);
    }
    return low;
}
