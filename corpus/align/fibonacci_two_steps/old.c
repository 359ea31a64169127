unsigned fibonacci(unsigned n)
{
    unsigned a = 0, b = 1;

    while (n-- > 0) {
        unsigned next = a + b;

        a = b;
        b = next;
    }
    return a;
}
