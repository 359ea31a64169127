int same(int x)
{
    return x * 2 / 2;
}
