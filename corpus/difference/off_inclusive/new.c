int f(int a, int b)
{
    return b > a ? b - a + 1 : 0;
}
