unsigned char fill(unsigned char level, unsigned n)
{
    return n < 255u - level ? level + n : 255;
}
