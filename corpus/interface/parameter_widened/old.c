long twice(int x)
{
    return 2L * x;
}
