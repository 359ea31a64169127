int lib(int x)
{
    if (x < 16)
        return -x;
    return 1;
}

int power(int x)
{
    int r = lib(x & 15);
    return r * r;
}
