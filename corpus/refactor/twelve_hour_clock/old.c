int hour12(unsigned char h)
{
    if (h > 23)
        return -1;
    h %= 12;
    return h == 0 ? 12 : h;
}
