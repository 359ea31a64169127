static int next(const char **p, const char *end, char wanted)
{
    if (*p == end)
        return -2;
    if (*(*p)++ != wanted)
        return -1;
    return 0;
}

static const char *version(const char *p, const char *end, int *minor, int *error)
{
    static const char name[] = "PROT/1.";
    const char *wanted;

    for (wanted = name; *wanted; wanted++) {
        *error = next(&p, end, *wanted);
        if (*error)
            return 0;
    }
    if (p == end || *p < '0' || '9' < *p) {
        *error = -1;
        return 0;
    }
    *minor = *p++ - '0';
    return p;
}

int status(const char *p, const char *end, int *minor, int *code)
{
    int error = 0, digits;

    p = version(p, end, minor, &error);
    if (!p)
        return error;
    error = next(&p, end, ' ');
    if (error)
        return error;
    *code = 0;
    for (digits = 0; digits < 3; digits++) {
        if (p == end)
            return -2;
        if (*p < '0' || '9' < *p)
            return -1;
        *code = *code * 10 + *p++ - '0';
    }
    return 0;
}
