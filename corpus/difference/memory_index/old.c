int f(const int *v)
{
    return v[0];
}
