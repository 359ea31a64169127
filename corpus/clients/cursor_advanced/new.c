int lib(const char **at)
{
    int negative = 0;

    if (**at == '-') {
        negative = 1;
        ++*at;
    }
    if (!negative && **at == '+')
        ++*at;
    return negative;
}

int number(const char *s)
{
    int negative;

    if (*s < '0' || *s > '9')
        return -1;
    negative = lib(&s);
    return negative ? '0' - *s : *s - '0';
}
