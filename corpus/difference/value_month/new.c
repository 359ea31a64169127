int f(int m)
{
    return m == 2 ? 29 : 30;
}
