const char *find(const char *s, char c)
{
    int i = 0;

    while (s[i] != 0 && s[i] != c)
        i++;
    return s + i;
}
