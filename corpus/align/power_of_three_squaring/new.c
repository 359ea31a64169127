unsigned power(unsigned n)
{
    unsigned p = 1, b = 3;

    for (; n > 0; n >>= 1) {
        if (n & 1)
            p *= b;
        b *= b;
    }
    return p;
}
