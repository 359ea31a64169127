int lib(int x)
{
    return x > 100 ? 100 : x;
}

int is_high(int x)
{
    return lib(x) > 150;
}
