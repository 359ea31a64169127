int f(unsigned x)
{
    return x >= 10 && x <= 20;
}
