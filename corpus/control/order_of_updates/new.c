int step(int x, int y)
{
    x *= 3;
    y += x;
    return x ^ y;
}
