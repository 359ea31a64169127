unsigned quotient(unsigned x, unsigned d)
{
    return x / d;
}
