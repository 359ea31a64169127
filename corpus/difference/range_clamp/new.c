int f(int x)
{
    return x > 99 ? 99 : x < -100 ? -100 : x;
}
