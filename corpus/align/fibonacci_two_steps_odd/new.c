unsigned fibonacci(unsigned n)
{
    unsigned a = 0, b = 1;

    for (; n >= 2; n -= 2) {
        a += b;
        b += a;
    }
    return a;
}
