static int scale(int x)
{
    return x * 3;
}

int price(int n)
{
    return scale(n + 1);
}
