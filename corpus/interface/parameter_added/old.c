int price(int n)
{
    return n * 100;
}
