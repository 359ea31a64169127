unsigned check(unsigned n)
{
    unsigned power = 1;

    for (; n != 0; n--)
        power *= 5;
    return power - 1;
}
