int step(int x, int y)
{
    y += x;
    x *= 3;
    return x ^ y;
}
