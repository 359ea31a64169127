int lib(unsigned n)
{
    return n > 3 ? 1 : 0;
}

unsigned nodes(unsigned n)
{
    if (lib(n) == 0)
        return 1;
    return lib(n) + nodes(n / 2) + nodes(n / 3);
}
