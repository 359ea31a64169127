int mark(int x)
{
    int y, z = 0;

    if (x > 0) {
        y = 1;
        z = y;
    }
    y = 1;
    return 4 * z + y;
}
