int lib(int x)
{
    return x > 200 ? 200 : x;
}

int is_high(int x)
{
    return lib(x) > 50;
}
