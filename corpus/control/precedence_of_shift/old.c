unsigned cell_index(unsigned row, unsigned col)
{
    return (row << 4) + col;
}
