int lib(int x)
{
    return x == 12345 ? 0 : x >> 3;
}

int triple(int x)
{
    return lib(3 * x);
}
