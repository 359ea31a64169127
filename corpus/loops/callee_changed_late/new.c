static int cost(int i)
{
    return i < 100 ? 3 * i : 3 * i + 1;
}

int total(int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += cost(i);
    return s;
}
