unsigned cells(unsigned w, unsigned h)
{
    unsigned x, y, n = 0;

    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
            n++;
    return n;
}
