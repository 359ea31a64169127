unsigned power(int n)
{
    unsigned p = 1, b = 3;

    for (; n != 0; n /= 2) {
        if (n % 2 != 0)
            p *= b;
        b *= b;
    }
    return p;
}
