int take(const unsigned char *len, unsigned char *status)
{
    int n = *len;
    if (n > 64)
        return -1;
    *status = 1;
    return n;
}
