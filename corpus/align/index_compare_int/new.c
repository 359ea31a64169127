int compare(const char *a, const char *b)
{
    int i;

    for (i = 0; a[i] == b[i]; i++)
        if (a[i] == 0)
            return 0;
    return (unsigned char)a[i] - (unsigned char)b[i];
}
