int power(int b, signed char n)
{
    int p = 1;

    for (; n != 0; n--)
        p *= b;
    return p;
}
