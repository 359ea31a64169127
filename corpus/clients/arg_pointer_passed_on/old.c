int lib(const int *p)
{
    return *p + 1;
}

int increment(const int *p)
{
    return lib(p) + 1;
}
