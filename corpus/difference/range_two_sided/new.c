int f(int d)
{
    return d > -8 && d < 8;
}
