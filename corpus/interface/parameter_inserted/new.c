int span(int both, int from, int to)
{
    return to - from + (both != 0);
}
