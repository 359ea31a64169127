float settle(float x, int n)
{
    int i;

    for (i = 0; i < n; i++)
        x = x * 0.5f + 1.0f;
    return x;
}
