/* The length of a row of cells, each rounded up to whole units. */
void cell(unsigned width);

static unsigned rounded(unsigned width, unsigned unit)
{
    return (width + unit - 1) / unit * unit;
}

unsigned row(const unsigned char *widths, unsigned n)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < n; i++) {
        unsigned width = rounded(widths[i], 8);

        cell(width);
        sum += width;
    }
    return sum;
}
