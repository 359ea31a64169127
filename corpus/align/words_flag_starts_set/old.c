int words(const char *s)
{
    int n = 0, inside = 1;

    for (; *s != 0; s++) {
        if (*s == ' ') {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            n++;
        }
    }
    return n;
}
