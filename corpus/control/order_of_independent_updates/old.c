int step(int x, int y)
{
    x = x * 3 + 1;
    y = y / 2;
    return x ^ y;
}
