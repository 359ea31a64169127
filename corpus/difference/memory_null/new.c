int f(const int *p)
{
    return p ? *p : 0;
}
