unsigned low_byte(const unsigned *p)
{
    return *p & 0xff;
}
