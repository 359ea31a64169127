static int total(int n)
{
    int i, sum = 0;

    for (i = 1; i <= n; ++i)
        sum += i;
    return sum;
}

int client(int x)
{
    if (total(5) != 15)
        return x + 1;
    return x;
}
