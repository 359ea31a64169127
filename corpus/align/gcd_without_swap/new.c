unsigned gcd(unsigned a, unsigned b)
{
    for (;;) {
        if (b == 0)
            return a;
        a %= b;
        if (a == 0)
            return b;
        b %= a;
    }
}
