int lib(const int *p)
{
    if (!p)
        return 0;
    return *p + 1;
}

int increment(int x)
{
    int copy = x;
    return lib(&copy);
}
