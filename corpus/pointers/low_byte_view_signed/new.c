unsigned low_byte(unsigned v)
{
    return *(const char *)&v;
}
