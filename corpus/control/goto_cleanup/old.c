int parse(int version, int flags, int len)
{
    int ret = -1;

    if (version != 2)
        goto out;
    if (flags & ~7)
        goto out;
    if (len < 16)
        goto out;
    ret = len - 16;
out:
    return ret;
}
