int log2_floor(unsigned x)
{
    int n = 0, step;

    for (step = 16; step > 0; step /= 2)
        if (x >> step != 0) {
            x >>= step;
            n += step;
        }
    return n;
}
