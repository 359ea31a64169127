int lib(int x)
{
    return x % 2 == 0;
}

int is_odd(int x)
{
    if (x == 0)
        return 0;
    return lib(x) == 0;
}
