int f(unsigned n)
{
    int i, s = 0;

    for (i = 0; i < 2; ++i) {
        s += n % 10;
        n /= 10;
    }
    return s;
}
