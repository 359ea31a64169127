int palindrome(const char *s, unsigned n)
{
    unsigned i, j;

    for (i = 0, j = n; i + 1 < j; i++) {
        j--;
        if (s[i] != s[j])
            return 0;
    }
    return 1;
}
