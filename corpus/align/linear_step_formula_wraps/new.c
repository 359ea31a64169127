unsigned iterations(unsigned n)
{
    return (n + 2) / 3;
}
