static int add_up(int n, int acc)
{
    if (n <= 0)
        return acc;
    return add_up(n - 1, acc + n);
}

int total(int n)
{
    return add_up(n, 0);
}
