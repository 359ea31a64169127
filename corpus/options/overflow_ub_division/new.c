int ratio(int a, int b)
{
    if (b == 0 || (b == -1 && a < -2147483647))
        return 0;
    return a / b;
}
