int stable(float x)
{
    float y = x;
    return y == x;
}
