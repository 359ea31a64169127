void reverse(char *s, unsigned n)
{
    unsigned low = 0, high = n;

    while (high - low > 1) {
        char t = s[low];
        s[low++] = s[--high];
        s[high] = t;
    }
}
