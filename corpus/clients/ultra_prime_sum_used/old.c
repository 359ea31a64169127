int lib(int x)
{
    int i, seen = 0;

    for (i = 2; i < x; i++)
        if (x % i != 0)
            seen++;
    return seen;
}

int ultra(int n)
{
    int i, sum = 0;

    for (i = 0; i < n; i++)
        if (lib(i) == 0)
            sum += i;
    return lib(sum + 4);
}
