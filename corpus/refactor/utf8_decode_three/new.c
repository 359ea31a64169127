int decode3(const unsigned char *s)
{
    int cp;

    if (s[0] >> 4 != 0xe)
        return -1;
    if (s[1] >> 6 != 2 || s[2] >> 6 != 2)
        return -1;
    cp = (s[0] & 0xf) << 12 | (s[1] & 0x3f) << 6 | (s[2] & 0x3f);
    return cp >= 0x800 ? cp : -1;
}
