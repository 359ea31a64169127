static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
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
