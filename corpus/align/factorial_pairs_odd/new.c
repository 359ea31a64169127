unsigned factorial(unsigned char n)
{
    unsigned p = 1;
    int k = n;

    for (; k > 2; k -= 2)
        p *= (unsigned)k * (k - 1);
    return p;
}
