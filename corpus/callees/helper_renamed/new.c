static int price_of(int n)
{
    return n * 7;
}

int total(int a, int b)
{
    return price_of(a) + price_of(b);
}
