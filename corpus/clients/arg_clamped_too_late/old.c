int lib(int x)
{
    if (x > 100)
        return 11;
    return x / 10;
}

int percent(int x)
{
    if (x < 0)
        x = 0;
    if (x > 101)
        x = 101;
    return lib(x);
}
