int lib(int x)
{
    return (x & 1) + ((x >> 1) & 1) + ((x >> 2) & 1);
}

int any(int x)
{
    if (lib(x))
        return 5;
    return 6;
}
