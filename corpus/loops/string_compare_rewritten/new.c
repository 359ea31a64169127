int compare(const char *a, const char *b)
{
    for (;;) {
        unsigned char x = (unsigned char)*a++;
        unsigned char y = (unsigned char)*b++;

        if (x != y || x == '\0')
            return x - y;
    }
}
