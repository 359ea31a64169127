int lib(int x)
{
    return -x;
}

int distance(int x)
{
    if (x <= 9)
        return lib(x);
    return lib(-x);
}
