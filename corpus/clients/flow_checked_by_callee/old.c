static int is_digit(int x)
{
    return x >= 0 && x <= 9;
}

int lib(int x)
{
    if (x < 0 || x > 9)
        return -1;
    return 1 << x;
}

int digit(int x)
{
    if (!is_digit(x))
        return -1;
    return lib(x);
}
