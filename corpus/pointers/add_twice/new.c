void add_twice(long *p, const long *q)
{
    *p += 2 * *q;
}
