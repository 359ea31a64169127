int lib(int x)
{
    return (x & 7) != 0;
}

int single(int x)
{
    return lib(x) == 1;
}
