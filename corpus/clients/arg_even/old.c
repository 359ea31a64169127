int lib(int x)
{
    return x % 2 == 0 ? x / 2 : x / 2;
}

int twice(int x)
{
    return lib(2 * x);
}
