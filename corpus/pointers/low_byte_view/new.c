unsigned low_byte(unsigned v)
{
    return *(const unsigned char *)&v;
}
