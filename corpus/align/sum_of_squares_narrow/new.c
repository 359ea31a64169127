unsigned squares(unsigned short n)
{
    unsigned k = n;

    return k * (k + 1) * (2 * k + 1) / 6;
}
