unsigned f(unsigned p)
{
    return p & ~7u;
}
