unsigned lib(unsigned x)
{
    return x % 4 == 3 ? 1 : 0;
}

unsigned square(unsigned x)
{
    return lib(x * x);
}
