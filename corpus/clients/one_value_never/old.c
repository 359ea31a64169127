int lib(int x)
{
    return x == 12345 ? 0 : x >> 3;
}

int sixfold(int x)
{
    return lib(6 * x);
}
