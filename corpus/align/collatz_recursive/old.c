unsigned steps(unsigned x)
{
    if (x <= 1)
        return 0;
    if (x % 2 == 0)
        return steps(x / 2) + 1;
    return steps(3 * x + 1) + 1;
}
