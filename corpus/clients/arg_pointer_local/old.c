int lib(const int *p)
{
    return *p + 1;
}

int increment(int x)
{
    int copy = x;
    return lib(&copy);
}
