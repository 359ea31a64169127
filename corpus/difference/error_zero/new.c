int f(int n)
{
    return 0;
}
