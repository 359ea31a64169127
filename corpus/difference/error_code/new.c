int f(int n)
{
    if (n < 0)
        return -22;
    if (n > 10)
        return -2;
    return n;
}
