int prefix_length(const char *path, int length, int strip)
{
    int i;

    if (strip <= 0)
        return 0;
    for (i = 0; i < length; i++) {
        if (path[i] == '/') {
            strip--;
            if (strip <= 0)
                return i + 1;
        }
    }
    return 0;
}
