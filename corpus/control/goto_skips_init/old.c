int parse(int len)
{
    int ret = -100;

    if (len < 0)
        goto out;
    if (len < 16)
        goto add;
    ret = 0;
add:
    ret += len + 1;
out:
    return ret;
}
