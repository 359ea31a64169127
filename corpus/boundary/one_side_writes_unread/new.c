int choose(int a, int b)
{
    int x = 0, y = 0;

    if (a > 0)
        x = 5;
    if (a > 0)
        y = 1;
    if (b > 0) {
        x = b;
        return x;
    }
    return y;
}
