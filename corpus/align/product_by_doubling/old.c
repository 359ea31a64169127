unsigned product(unsigned a, unsigned b)
{
    unsigned s = 0;

    while (b != 0) {
        if (b & 1)
            s += a;
        a <<= 1;
        b >>= 1;
    }
    return s;
}
