int lib(int x)
{
    return 100 / x;
}

int usable(int x)
{
    return x != 0 && lib(x) > 4;
}
