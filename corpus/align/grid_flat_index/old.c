unsigned grid(unsigned char w, unsigned char h)
{
    unsigned x, y, s = 0;

    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
            s = s * 5 + x * 3 + y;
    return s;
}
