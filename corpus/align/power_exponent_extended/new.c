int power(int b, signed char n)
{
    unsigned left = (unsigned)n;
    int p = 1;

    for (; left != 0; left >>= 1) {
        if (left & 1)
            p *= b;
        b *= b;
    }
    return p;
}
