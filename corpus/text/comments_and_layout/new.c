// Halves x, rounding towards zero.
int
half(int x)
{
    return (x / 2);
}
