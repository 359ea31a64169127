void add_twice(long *p, long x)
{
    *p += 2 * x;
}
