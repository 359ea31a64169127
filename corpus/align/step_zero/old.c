unsigned points(unsigned short length, unsigned short step)
{
    unsigned x, n = 0;

    for (x = 0; x < length; x += step)
        n++;
    return n;
}
