static int first(int x, int y)
{
    return x > 0 ? x : y;
}

int f(int a, int b)
{
    return first(b, a);
}
