int f(const char *s)
{
    if (!s)
        return -1;
    return 0;
}
