int lib(int x)
{
    return x > 15 ? -2 : x * x + 1;
}

int chain(int x, int y)
{
    return lib(lib(x & 7) + (y & 1)) + 1;
}
