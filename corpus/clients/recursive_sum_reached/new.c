int lib(int n)
{
    return n == 3 ? 10 : n & 7;
}

int total(int n)
{
    if (n <= 0)
        return 0;
    return lib(n) + total(n - 1);
}
