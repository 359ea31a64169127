float scale(float x, float k)
{
    return x * k;
}
