int take(const unsigned char *len, unsigned char *status)
{
    if (*len > 64)
        return -1;
    *status = 1;
    return *len;
}
