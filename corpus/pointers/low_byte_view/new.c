unsigned low_byte(const unsigned *p)
{
    return *(const unsigned char *)p;
}
