unsigned low_byte(unsigned v)
{
    return v & 0xff;
}
