int span(int from, int to)
{
    return to - from;
}
