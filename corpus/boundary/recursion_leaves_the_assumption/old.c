int f(int n)
{
    if (n < 0)
        return 1;
    if (n == 5)
        return f(-1);
    return 0;
}
