int below(unsigned char w, unsigned char h, int most)
{
    int x, y, n = 0;

    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
            if (x * y < most)
                n++;
    return n;
}
