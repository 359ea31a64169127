int low(int x)
{
    return x & 255;
}
