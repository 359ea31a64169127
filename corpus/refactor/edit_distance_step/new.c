unsigned cell(unsigned up, unsigned left, unsigned diag, int same)
{
    unsigned insert = up + 1, delete = left + 1;
    unsigned best = insert < delete ? insert : delete;
    unsigned replace = same ? diag : diag + 1;

    return best < replace ? best : replace;
}
