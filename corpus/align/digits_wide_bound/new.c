unsigned digits(unsigned long x)
{
    unsigned n = 1;

    while (x >= 1000) {
        n += 4;
        x /= 10000;
    }
    while (x >= 10) {
        n++;
        x /= 10;
    }
    return n;
}
