unsigned matches(const char *s, char c, unsigned n)
{
    unsigned i, k = 0;

    for (i = 0; i < n; i++)
        if (s[i] == c)
            k++;
    return k;
}
