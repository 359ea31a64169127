int order(const char *a, const char *b)
{
    const char *p = a, *q = b;

    while (*p == *q && *q != 0) {
        p++;
        q++;
    }
    return (*p > *q) - (*p < *q);
}
