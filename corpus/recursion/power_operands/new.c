unsigned power(unsigned b, unsigned e)
{
    unsigned rest;

    if (e == 0)
        return 1;
    rest = power(b, e - 1);
    return rest * b;
}
