int is_edge(int x, int y)
{
    return (x == 0) | (x == 79) | (y == 0) | (y == 24);
}
