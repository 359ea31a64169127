int hour12(unsigned char h)
{
    if (h > 23)
        return -1;
    return h < 12 ? h : h - 12;
}
