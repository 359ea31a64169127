int map_two(int (*op)(int), int a, int b)
{
    int y = op(b);
    int x = op(a);
    return x - y;
}
