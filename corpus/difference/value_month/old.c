int f(int m)
{
    return m == 2 ? 28 : 30;
}
