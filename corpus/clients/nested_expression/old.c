int lib(int x)
{
    return x > 15 ? -1 : x * x + 1;
}

int chain(int x, int y)
{
    return lib(lib(lib(x & 7) & 15) & lib(lib(y & 15) & 15) & 15);
}
