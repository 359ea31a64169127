static int cost(int i)
{
    return 3 * i;
}

int total(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += cost(i);
    return s;
}
