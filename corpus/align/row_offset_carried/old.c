int sum(const int *m, unsigned char w, unsigned char h)
{
    int x, y, s = 0;

    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
            s += m[y * w + x] * (x - y);
    return s;
}
