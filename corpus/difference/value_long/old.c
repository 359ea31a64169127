int f(long k)
{
    return 0;
}
