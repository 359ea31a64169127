int below(unsigned char w, unsigned char h, int most)
{
    int x, y, n = 0;

    for (x = 0; x < w; x++)
        for (y = 0; y < h; y++)
            n += x * y < most;
    return n;
}
