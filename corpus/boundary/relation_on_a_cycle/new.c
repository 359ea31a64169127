int flip(int n, int x)
{
    while (n-- > 0)
        x = x == 5 ? -1 : 6;
    return x > 0;
}
