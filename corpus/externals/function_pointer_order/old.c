int map_two(int (*op)(int), int a, int b)
{
    int x = op(a);
    int y = op(b);
    return x - y;
}
