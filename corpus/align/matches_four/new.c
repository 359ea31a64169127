unsigned matches(const char *s, char c, unsigned n)
{
    unsigned i = 0, k = 0;

    for (; n - i >= 4; i += 4)
        k += (s[i] == c) + (s[i + 1] == c) + (s[i + 2] == c) + (s[i + 3] == c);
    while (i < n)
        k += s[i++] == c;
    return k;
}
