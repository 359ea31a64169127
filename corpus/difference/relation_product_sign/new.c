int f(short a, short b)
{
    return a < 0 && b > 0;
}
