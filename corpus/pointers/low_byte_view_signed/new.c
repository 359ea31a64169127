unsigned low_byte(const unsigned *p)
{
    return *(const char *)p;
}
