unsigned grid(unsigned char w, unsigned char h)
{
    unsigned row, col, acc = 0;
    const unsigned rows = h, cols = w;

    for (row = 0; row < rows; row++) {
        for (col = 0; col < cols; col++)
            acc = acc * 3 + (col ^ row);
    }
    return acc;
}
