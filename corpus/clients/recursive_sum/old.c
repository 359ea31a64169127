int lib(int n)
{
    return n <= 0 ? -1 : n * n;
}

int total(int n)
{
    if (n <= 0)
        return 0;
    return lib(n) + total(n - 1);
}
