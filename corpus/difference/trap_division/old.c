int f(int a, int b)
{
    return b > 0 ? a / b : 0;
}
