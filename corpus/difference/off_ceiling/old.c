unsigned f(unsigned n)
{
    return (n + 15) / 16;
}
