int steps(unsigned x)
{
    int n = 0;

    while (x > 1 && n < 20) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        n++;
    }
    return n;
}
