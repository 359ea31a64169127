int lib(int x)
{
    return x % 2 == 0;
}

int is_multiple(int x)
{
    if (x == 0)
        return 1;
    return lib(x) > 1;
}
