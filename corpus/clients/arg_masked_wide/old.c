int lib(int x)
{
    return x > 15 ? -1 : 3 * x;
}

int low(int x)
{
    return lib(x & 31);
}
