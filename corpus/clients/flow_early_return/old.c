int lib(int x)
{
    if (x > 1000 && x % 2 == 0)
        return 8;
    return x & 63;
}

int scale(int x)
{
    if (x < 0)
        return -1;
    if (x > 500)
        return 64;
    return 2 * lib(x) + lib(x / 2);
}
