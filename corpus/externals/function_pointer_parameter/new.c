int map_two(int (*op)(int), int a, int b)
{
    int x = op(a);
    return x - op(b);
}
