int parse(const char *s)
{
    unsigned n = 0;

    for (; (unsigned char)(*s - '0') < 10; s++)
        n = n * 10u + (unsigned)(*s - '0');
    return (int)n;
}
