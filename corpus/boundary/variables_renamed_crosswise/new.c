int gap(int a, int b)
{
    int x = b, y = a;
    return y - x;
}
