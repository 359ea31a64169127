int clamp_sum(int a, int b)
{
    if (a < 0)
        a = 0;
    else if (a > 100)
        a = 100;
    if (b < -50)
        b = -50;
    else if (b > 50)
        b = 50;
    return a + b;
}
