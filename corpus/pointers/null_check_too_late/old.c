int value(const int *p)
{
    int v = *p;
    if (!p)
        return -1;
    return v;
}
