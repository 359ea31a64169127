float volume(float a, float b, float c)
{
    float base = a * b;
    return base * c;
}
