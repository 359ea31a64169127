float settle(float x, int n)
{
    if (n <= 0)
        return x;
    do
        x = x * 0.5f + 1.0f;
    while (--n != 0);
    return x;
}
