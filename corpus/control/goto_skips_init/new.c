int parse(int len)
{
    int ret = -100;

    if (len < 0)
        goto out;
    if (len < 16)
        goto out;
    ret = 0;
    ret += len + 1;
out:
    return ret;
}
