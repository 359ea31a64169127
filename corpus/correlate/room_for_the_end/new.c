void copy_in(char *to, const char *from, unsigned length);
int parse(const char *text);

int to_address(const char *text, unsigned length, char *buffer)
{
    if (length > 58 - 1)
        return 0;
    copy_in(buffer, text, length);
    return parse(buffer);
}
