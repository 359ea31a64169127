float scale(float x, float k)
{
    return (float)((double)x * (double)k);
}
