int lib(int x)
{
    if (x <= 0)
        return -1;
    return x / 2 + 1;
}

int root(int x)
{
    if (x > 0)
        return lib(x);
    return 0;
}
