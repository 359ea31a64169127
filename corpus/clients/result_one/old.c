int lib(int x)
{
    return (x & 1) + ((x >> 1) & 1) + ((x >> 2) & 1);
}

int single(int x)
{
    return lib(x) == 1;
}
