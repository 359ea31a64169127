int same(int x)
{
    return x;
}
