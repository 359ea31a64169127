extern int prices[];

int price(unsigned char item)
{
    return prices[item];
}

int dearer(unsigned char item)
{
    return prices[item] * 2;
}
