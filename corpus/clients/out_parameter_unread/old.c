void lib(unsigned x, unsigned *quotient, unsigned *rest)
{
    *rest = x % 10;
    *quotient = x / 10;
}

unsigned quotient(unsigned x)
{
    unsigned q, r;

    lib(x, &q, &r);
    return q;
}
