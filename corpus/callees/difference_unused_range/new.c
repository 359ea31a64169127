static int cost(int x)
{
    if (x < 0)
        return 0;
    return x * 2 + 1;
}

int byte_cost(int x)
{
    return cost(x & 0xff);
}
