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
    if (width < 0 && position == 0) {
        chars = 0;
        position = 0;
    } else if (width < 0 && position <= -width) {
        position = 0;
    } else {
        position += width;
    }
    return chars;
}
