int same(const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = *a, y = *b;

        if (x >= 'A' && x <= 'Z')
            x += 32;
        if (y >= 'A' && y <= 'Z')
            y += 32;
        if (x != y)
            return 0;
        if (x == 0)
            return 1;
    }
}
