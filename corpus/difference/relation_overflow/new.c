int f(unsigned pos, unsigned len)
{
    return pos + len <= 100;
}
