unsigned cost(unsigned short a, unsigned short b)
{
    return a * 3 + b * 3;
}
