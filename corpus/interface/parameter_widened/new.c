long twice(long x)
{
    return 2 * x;
}
