unsigned cell(unsigned up, unsigned left, unsigned diag, int same)
{
    unsigned best = up + 1;

    if (left + 1 < best)
        best = left + 1;
    if (diag + !same < best)
        best = diag + !same;
    return best;
}
