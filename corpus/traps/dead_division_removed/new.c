unsigned keep(unsigned x, unsigned d)
{
    (void)d;
    return x;
}
