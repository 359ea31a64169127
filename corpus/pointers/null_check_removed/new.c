int value_or_zero(const int *p)
{
    return *p;
}
