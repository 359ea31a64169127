int take(const unsigned char *len)
{
    if (*len > 64)
        return -1;
    return *len;
}
