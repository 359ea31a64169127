unsigned cell_index(unsigned row, unsigned col)
{
    unsigned shift = 4 + col;
    return row << shift;
}
