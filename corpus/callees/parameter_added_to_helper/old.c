static int scale(int x)
{
    return x * 16;
}

int scaled(int x)
{
    return scale(x) + scale(1);
}
