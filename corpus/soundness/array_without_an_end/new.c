extern int prices[];

int price(unsigned char item)
{
    return prices[item] + 1;
}

int dearer(unsigned char item)
{
    return prices[item] << 1;
}
