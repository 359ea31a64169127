int rest(int n)
{
    n = n - 10;
    return n;
}
