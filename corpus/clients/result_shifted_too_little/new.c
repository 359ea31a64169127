unsigned lib(unsigned x)
{
    return x | 15;
}

unsigned coarse(unsigned x)
{
    return lib(x) >> 3;
}
