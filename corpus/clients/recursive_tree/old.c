int lib(unsigned n)
{
    return n > 3 ? (int)(n / 4 % 1000 + 1) : 0;
}

unsigned nodes(unsigned n)
{
    if (lib(n) == 0)
        return 1;
    return nodes(n / 2) + nodes(n / 3);
}
