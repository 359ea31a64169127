unsigned ones(unsigned n)
{
    return (1u << n) - 1;
}
