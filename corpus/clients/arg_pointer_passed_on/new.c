int lib(const int *p)
{
    if (!p)
        return 0;
    return *p + 1;
}

int increment(const int *p)
{
    return lib(p) + 1;
}
