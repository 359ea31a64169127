int lib(int x)
{
    return x % 2 == 0;
}

int is_odd(int x)
{
    return lib(x) == 0;
}
