struct text {
    char *chars;
    int len;
};

int f(const struct text *t)
{
    return t->len > 8 ? 8 : t->len;
}
