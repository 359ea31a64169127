int compare(const char *a, const char *b)
{
    for (; *a == *b; a++, b++)
        if (*a == 0)
            return 0;
    return *(const unsigned char *)a - *(const unsigned char *)b;
}
