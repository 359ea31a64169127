int f(int n)
{
    return n % 10 == 0 ? -1 : 0;
}
