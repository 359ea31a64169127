int lib(int x)
{
    return x > 15 ? -1 : x * x + 1;
}

int chain(int x)
{
    x = lib(x & 15);
    x = lib(x & 15) ^ 1;
    return x;
}
