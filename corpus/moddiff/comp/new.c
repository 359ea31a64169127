static int less(int a, int b)
{
    return !(a >= b);
}

int client(int x, int y)
{
    return less(y, x) ? x : y;
}
