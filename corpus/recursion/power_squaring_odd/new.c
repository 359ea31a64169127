unsigned power(unsigned b, unsigned e)
{
    unsigned half;

    if (e == 0)
        return 1;
    half = power(b, e / 2);
    return half * half;
}
