unsigned steps(unsigned x)
{
    unsigned n = 0;

    while (x > 1) {
        x = x % 2 == 0 ? x / 2 : (3 * x + 1) / 2;
        n++;
    }
    return n;
}
