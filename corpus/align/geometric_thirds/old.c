unsigned sum(unsigned char n)
{
    unsigned s = 0;
    int i;

    for (i = 0; i < n; i++)
        s = 3 * s + 1;
    return s;
}
