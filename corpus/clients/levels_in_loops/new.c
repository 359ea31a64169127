unsigned lib(unsigned x)
{
    return (x & 6) != 0;
}

unsigned row(unsigned y, unsigned width)
{
    unsigned x, cells = 0;

    for (x = 0; x < width; x++)
        if (lib(x ^ y))
            cells++;
    return cells;
}

unsigned grid(unsigned width, unsigned height)
{
    unsigned y, cells = 0;

    for (y = 0; y < height; y++)
        cells += row(y, width);
    return cells;
}
