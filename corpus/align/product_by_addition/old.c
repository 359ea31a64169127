unsigned product(unsigned a, unsigned n)
{
    unsigned s = 0;

    while (n > 0) {
        s += a;
        n--;
    }
    return s;
}
