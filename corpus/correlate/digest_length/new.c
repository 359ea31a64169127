int split_line(const char *line, int length, int *from)
{
    int at = 0, digits = 0;

    while (at < length && line[at] == ' ')
        at++;
    while (at < length && line[at] > ' ') {
        at++;
        digits++;
    }
    if (digits != 32)
        return -1;
    while (at < length && line[at] == ' ')
        at++;
    *from = at;
    return digits;
}
