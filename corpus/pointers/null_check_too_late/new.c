int value(const int *p)
{
    return *p;
}
