/* Compares at most n bytes of two strings. */
static int same_start(const char *a, const char *b, unsigned long n)
{
    const char *end = a + n;

    while (a != end) {
        int apart = *a - *b;

        if (apart != 0)
            return 0;
        if (*a == 0)
            return 1;
        a++;
        b++;
    }
    return 1;
}

static const char *const tags[] = { "body", "head", "link", "meta" };

int find_tag(const char *text)
{
    for (int i = 0; i < 4; i++)
        if (same_start(text, tags[i], 4))
            return i;
    return -1;
}
