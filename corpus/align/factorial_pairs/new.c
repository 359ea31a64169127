unsigned factorial(unsigned char n)
{
    unsigned p = 1;
    int k = n;

    for (; k > 1; k -= 2)
        p *= (unsigned)k * (k - 1);
    return p;
}
