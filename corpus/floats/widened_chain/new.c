float volume(float a, float b, float c)
{
    double base = (double)a * b;
    return (float)(base * c);
}
