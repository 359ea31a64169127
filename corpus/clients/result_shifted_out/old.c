unsigned lib(unsigned x)
{
    return x;
}

unsigned coarse(unsigned x)
{
    return lib(x) >> 4;
}
