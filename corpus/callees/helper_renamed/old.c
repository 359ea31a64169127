static int price(int n)
{
    return n * 7;
}

int total(int a, int b)
{
    return price(a) + price(b);
}
