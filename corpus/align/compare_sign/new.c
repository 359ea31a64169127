int order(const char *a, const char *b)
{
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;

    while (*p == *q && *q != 0) {
        p++;
        q++;
    }
    return (*p > *q) - (*p < *q);
}
