unsigned power(unsigned b, unsigned n)
{
    unsigned p = 1;

    while (n > 0) {
        p *= b;
        n--;
    }
    return p;
}
