int count(const char *s, char c)
{
    int n = 0;

    for (; *s != 0; s++)
        n += *s == c;
    return n;
}
