static int cost(int x)
{
    return x * 2 + 1;
}

int byte_cost(int x)
{
    return cost(x & 0xff);
}
