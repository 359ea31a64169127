unsigned grid(unsigned char w, unsigned char h)
{
    unsigned x, y, s = 0;

    for (x = 0; x < w; x++)
        for (y = 0; y < h; y++)
            s = s * 3 + (x ^ y * 2);
    return s;
}
