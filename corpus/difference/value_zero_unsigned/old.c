unsigned f(unsigned n)
{
    return n ? 100 / n : 0;
}
