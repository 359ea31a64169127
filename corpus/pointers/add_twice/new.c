void add_twice(unsigned char *p, const unsigned char *q)
{
    *p += 2 * *q;
}
