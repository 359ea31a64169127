unsigned quotient(unsigned x, unsigned d)
{
    return d == 0 ? 0 : x / d;
}
