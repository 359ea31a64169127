static int scale(int x, int factor)
{
    return x * factor;
}

int scaled(int x)
{
    return scale(x, 16) + scale(1, 16);
}
