int stats(int n)
{
    int i, a = 0, b = 1;

    for (i = 0; i < n; i++)
        a += i;
    for (i = 0; i < n; i++)
        b += 2 * i;
    return a ^ b;
}
