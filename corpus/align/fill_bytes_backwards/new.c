void fill(unsigned char *p, unsigned char c, unsigned short n)
{
    while (n != 0)
        p[--n] = c;
}
