void lib(int x, int *out)
{
    if (x < 0)
        *out = 9;
    else
        *out = x % 10;
}

int split_low(int x)
{
    int rest;

    lib((signed char)x, &rest);
    return rest;
}
