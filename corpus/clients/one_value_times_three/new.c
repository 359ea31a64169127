int lib(int x)
{
    return x == 12345 ? 1 : x >> 3;
}

int triple(int x)
{
    return lib(3 * x);
}
