int value(const int *p)
{
    if (!p)
        return -1;
    return *p;
}
