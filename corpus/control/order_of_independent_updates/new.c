int step(int x, int y)
{
    y /= 2;
    x += 2 * x + 1;
    return y ^ x;
}
