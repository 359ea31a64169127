void pairs(unsigned *restrict sums, unsigned *restrict items, int count)
{
    int i;

    for (i = 0; i + 1 < count; i++) {
        sums[i] = items[i] + items[i + 1];
    }
}
