unsigned pow3(unsigned n)
{
    unsigned p = 1;

    while (n-- != 0)
        p = p + p + p;
    return p;
}
