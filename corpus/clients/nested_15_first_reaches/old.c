int lib(int x)
{
    return x > 15 ? 6 : x * 5 + 3;
}

int chain(int x)
{
    x = lib(x);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    x = lib(x & 15);
    return x;
}
