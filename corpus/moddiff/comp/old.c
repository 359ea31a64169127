static int less(int a, int b)
{
    if (a < b)
        return 1;
    return 0;
}

int client(int x, int y)
{
    if (less(x, y))
        return y;
    return x;
}
