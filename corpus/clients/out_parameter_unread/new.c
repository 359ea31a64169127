void lib(unsigned x, unsigned *quotient, unsigned *rest)
{
    *rest = 9 - x % 10;
    *quotient = x / 10;
}

unsigned quotient(unsigned x)
{
    unsigned q, r;

    lib(x, &q, &r);
    return q;
}
