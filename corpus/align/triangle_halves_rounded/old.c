unsigned triangle(unsigned n)
{
    unsigned s = 0;

    for (; n > 0; n--)
        s += n;
    return s;
}
