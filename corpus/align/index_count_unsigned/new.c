int count(const char *s, char c)
{
    unsigned i;
    int n = 0;

    for (i = 0; s[i] != 0; i++)
        if (s[i] == c)
            n++;
    return n;
}
