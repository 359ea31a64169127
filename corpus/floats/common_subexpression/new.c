double norm2(double x, double y, double cx, double cy)
{
    double dx = x - cx;
    double dy = y - cy;
    return dx * dx + dy * dy;
}
