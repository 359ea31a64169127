unsigned fib(int n)
{
    unsigned a = 0, b = 2;
    int i;

    for (i = 0; i < n; i++) {
        unsigned next = a + b;
        a = b;
        b = next;
    }
    return a;
}
