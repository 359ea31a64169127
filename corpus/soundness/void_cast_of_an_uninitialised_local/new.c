int next(int x)
{
    int unused;
    (void)unused;
    return x + 2;
}
