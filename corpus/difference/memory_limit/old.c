struct text {
    char *chars;
    int len;
};

int f(const struct text *t)
{
    return t->len;
}
