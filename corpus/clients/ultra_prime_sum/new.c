int lib(int x)
{
    int i, seen = 0;

    for (i = 2; i < x; i++)
        if (x % i != 0)
            seen = 1;
    return seen;
}

int ultra(int n)
{
    int i, sum = 0;

    for (i = 0; i < n; i++)
        if (lib(i) == 0)
            sum += i;
    if (lib(sum) == 0)
        return sum;
    return -sum;
}
