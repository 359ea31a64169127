unsigned power(int n)
{
    unsigned p = 1;

    while (n-- > 0)
        p *= 3;
    return p;
}
