int next_byte(const unsigned char **cursor)
{
    return *++*cursor;
}
