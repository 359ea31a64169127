unsigned lib(unsigned x)
{
    return x % 4 == 3 ? 2 : 0;
}

unsigned square(unsigned x)
{
    return lib(x * x);
}
