unsigned f(unsigned p)
{
    return p & ~3u;
}
