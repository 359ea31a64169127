int lib(int x)
{
    return 100 / x;
}

int usable(int x)
{
    return lib(x) > 4 && x != 0;
}
