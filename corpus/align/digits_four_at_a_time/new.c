int digits(unsigned x)
{
    int n = 1;

    for (;;) {
        if (x < 10)
            return n;
        if (x < 100)
            return n + 1;
        if (x < 1000)
            return n + 2;
        if (x < 10000)
            return n + 3;
        x /= 10000;
        n += 4;
    }
}
