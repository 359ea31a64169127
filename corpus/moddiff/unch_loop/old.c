static int total(int n)
{
    int i, sum = 0;

    for (i = 1; i <= n; ++i)
        sum += i;
    return sum;
}

int client(int x)
{
    if (total(4) == 10)
        return x;
    return x + 1;
}
