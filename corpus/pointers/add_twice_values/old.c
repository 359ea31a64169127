void add_twice(long *p, long x)
{
    *p += x;
    *p += x;
}
