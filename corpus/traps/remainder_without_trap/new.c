int remainder_of(int a, int b)
{
    if (b == -1)
        return 0;
    return a % b;
}
