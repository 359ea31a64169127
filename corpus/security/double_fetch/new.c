int take(const unsigned char *len)
{
    int n = *len;
    return n > 64 ? -1 : n;
}
