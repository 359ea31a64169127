unsigned char low(int x)
{
    return x;
}
