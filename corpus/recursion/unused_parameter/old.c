int steps(int n, int tag)
{
    if (n <= 0)
        return 0;
    return 1 + steps(n - 1, tag + 1);
}
