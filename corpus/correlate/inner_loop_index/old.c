void cell(int row, int column);

void grid(int rows)
{
    int row, column;

    for (row = 0; row < rows; row++)
        for (column = 0; column < row; column++)
            cell(row, column);
}
