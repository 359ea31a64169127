int f(int d)
{
    return d > -5 && d < 5;
}
