unsigned pell(unsigned char n)
{
    unsigned a = 0, b = 1;
    int i;

    for (i = 0; i < n; i++) {
        unsigned next = 2 * b + a;
        a = b;
        b = next;
    }
    return a;
}
