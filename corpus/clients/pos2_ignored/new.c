static int lib(int x)
{
    return -x;
}

int distance(int x)
{
    if (x <= 0)
        return lib(x);
    return lib(-x);
}
