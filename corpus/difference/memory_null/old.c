int f(const int *p)
{
    return *p;
}
