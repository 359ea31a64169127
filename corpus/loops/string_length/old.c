unsigned long length(const char *s)
{
    unsigned long n = 0;

    while (s[n])
        n++;
    return n;
}
