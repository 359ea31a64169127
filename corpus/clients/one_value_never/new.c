int lib(int x)
{
    return x == 12345 ? 1 : x >> 3;
}

int sixfold(int x)
{
    return lib(6 * x);
}
