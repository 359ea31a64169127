int steps(int n)
{
    return 3 * n;
}
