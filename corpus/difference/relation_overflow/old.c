int f(unsigned pos, unsigned len)
{
    return len <= 100 && pos <= 100 - len;
}
