int f(int n)
{
    if (n < 0)
        return 2;
    if (n == 5)
        return f(0);
    return n & 1;
}
