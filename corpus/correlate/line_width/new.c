void put_space(int n);

void put_words(const int *lengths, int count, int width)
{
    int i, column = 0;

    for (i = 0; i < count; i++) {
        if (column + lengths[i] > width + 1) {
            put_space(0);
            column = 0;
        }
        column += lengths[i] + 1;
        put_space(column);
    }
}
