int p(int x)
{
    if (x < 0)
        return -1;
    if (x > 4)
        return x;
    while (x == 2)
        x = 2;
    x = 3;
    return x;
}
