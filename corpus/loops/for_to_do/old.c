int sum_to(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += i * i;
    return s;
}
