void pairs(unsigned *restrict sums, unsigned *restrict items, int count)
{
    int i;
    unsigned first, second;

    if (count < 2) {
        return;
    }
    first = items[0];
    for (i = 0; i + 1 < count; i++) {
        second = items[i + 1];
        sums[i] = first + second;
        first = second;
    }
}
