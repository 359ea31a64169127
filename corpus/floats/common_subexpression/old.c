double norm2(double x, double y, double cx, double cy)
{
    return (x - cx) * (x - cx) + (y - cy) * (y - cy);
}
