int next_byte(const unsigned char **cursor)
{
    int v = **cursor;
    ++*cursor;
    return v;
}
