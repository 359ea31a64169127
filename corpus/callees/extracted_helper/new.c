static unsigned gap(int a, int b)
{
    return a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a;
}

unsigned distance(int ax, int ay, int bx, int by)
{
    return gap(ax, bx) + gap(ay, by);
}
