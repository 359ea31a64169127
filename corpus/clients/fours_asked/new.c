int lib(unsigned x)
{
    return (x & 3) == 0;
}

int is_multiple(unsigned x)
{
    return lib(x) != 0;
}
