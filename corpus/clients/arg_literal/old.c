int lib(const char *s)
{
    if (s[0] == 0)
        return 0;
    return s[0] * 31 + s[1];
}

int unit(int metric)
{
    return metric ? lib("mm") : lib("in");
}
