unsigned char fill(unsigned char level, unsigned n)
{
    return level + n < 255 ? level + n : 255;
}
