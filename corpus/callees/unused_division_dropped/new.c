unsigned f(unsigned x, unsigned y)
{
    (void)y;
    return x;
}
