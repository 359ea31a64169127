unsigned cubes(unsigned short n)
{
    unsigned half = n * (n + 1u) / 2;

    return half * half;
}
