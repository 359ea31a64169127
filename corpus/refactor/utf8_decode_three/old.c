int decode3(const unsigned char *s)
{
    int cp = -1;

    if ((s[0] & 0xf0) == 0xe0) {
        if ((s[1] & 0xc0) == 0x80) {
            if ((s[2] & 0xc0) == 0x80) {
                cp = (s[0] & 0x0f) << 12;
                cp += (s[1] & 0x3f) << 6;
                cp += s[2] & 0x3f;
                if (cp < 0x800)
                    cp = -1;
            }
        }
    }
    return cp;
}
