static int position = 0;

int place_of(void)
{
    return position;
}

int clump(int width, int untabify, char *s)
{
    int chars = 0, i;

    if (untabify) {
        i = width;
        while (i > 0) {
            *s++ = ' ';
            --i;
        }
        chars = width;
    }
    position += width;
    return chars;
}
