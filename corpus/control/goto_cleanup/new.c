int parse(int version, int flags, int len)
{
    if (version != 2 || (flags & ~7) != 0 || len < 16)
        return -1;
    return len - 16;
}
