int f(unsigned m)
{
    return (m & 3) == 3;
}
