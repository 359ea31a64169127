unsigned lib(int low, int high)
{
    if (low > high)
        return 0;
    return (unsigned)high - (unsigned)low;
}

unsigned span(int a, int b)
{
    return a < b ? lib(a, b) : lib(b, a);
}
