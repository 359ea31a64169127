static const int powers[] = {1, 10, 100, 1000, 10000};

int pow10_of(unsigned n)
{
    return n < sizeof powers / sizeof powers[0] ? powers[n] : 0;
}
