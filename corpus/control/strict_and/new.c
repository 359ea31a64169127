int ratio_above_two(unsigned x, unsigned y)
{
    return (y != 0) & (x / y > 2);
}
