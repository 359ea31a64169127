static int scale(int x, int rounded)
{
    if (rounded)
        return x * 3 / 10 * 10;
    return x * 3;
}

int price(int n)
{
    return scale(n + 1, 0);
}
