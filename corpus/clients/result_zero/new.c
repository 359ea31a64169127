int lib(int x)
{
    return (x & 7) != 0;
}

int any(int x)
{
    if (lib(x))
        return 5;
    return 6;
}
