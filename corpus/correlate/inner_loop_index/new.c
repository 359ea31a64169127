void cell(int row, int column);

void grid(int rows)
{
    int row = 0;

    while (row < rows) {
        int column = 0;
        while (column < row) {
            cell(row, column);
            column++;
        }
        row++;
    }
}
