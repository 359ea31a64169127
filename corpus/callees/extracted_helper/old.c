unsigned distance(int ax, int ay, int bx, int by)
{
    unsigned dx = ax > bx ? (unsigned)ax - (unsigned)bx : (unsigned)bx - (unsigned)ax;
    unsigned dy = ay > by ? (unsigned)ay - (unsigned)by : (unsigned)by - (unsigned)ay;
    return dx + dy;
}
