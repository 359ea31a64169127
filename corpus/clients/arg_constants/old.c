int lib(int n)
{
    return n == 0 ? 0 : 8 * n + 4;
}

int size(int wide)
{
    return wide ? lib(4) : lib(3);
}
