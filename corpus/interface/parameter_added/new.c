int price(int n, int discount)
{
    return n * 100 - discount;
}
