void add_twice(long *p, const long *q)
{
    *p += *q;
    *p += *q;
}
