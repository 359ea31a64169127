unsigned lower_bound(const int *v, unsigned n, int x)
{
    unsigned low = 0, high = n;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;

        if (v[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
