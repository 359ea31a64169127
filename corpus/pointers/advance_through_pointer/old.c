int next_byte(const unsigned char **cursor)
{
    const unsigned char *c = *cursor;
    int v = *c;
    *cursor = c + 1;
    return v;
}
