static int lower(int c)
{
    return c | 0x20;
}

int same(const char *a, const char *b)
{
    while (lower(*a) == lower(*b)) {
        if (*a == 0)
            return 1;
        a++;
        b++;
    }
    return 0;
}
