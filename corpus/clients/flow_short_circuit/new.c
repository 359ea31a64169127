int lib(int x)
{
    if (x == 0)
        return 0;
    return 100 / x;
}

int usable(int x)
{
    return x != 0 && lib(x) > 4;
}
