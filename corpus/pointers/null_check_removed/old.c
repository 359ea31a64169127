int value_or_zero(const int *p)
{
    if (!p)
        return 0;
    return *p;
}
