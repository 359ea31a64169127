int gap(int a, int b)
{
    int x = a, y = b;
    return y - x;
}
