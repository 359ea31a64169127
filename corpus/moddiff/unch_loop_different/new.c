static int total(int n)
{
    int i, sum = 0;

    for (i = 1; i <= n; ++i)
        sum += i;
    return sum;
}

int client(int x)
{
    return x + total(5);
}
