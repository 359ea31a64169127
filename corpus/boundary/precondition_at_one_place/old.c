int mark(int x)
{
    int y, z = 0;

    if (x > 0) {
        y = x > 0 ? 1 : 2;
        z = y;
    }
    y = x > 0 ? 1 : 2;
    return 4 * z + y;
}
