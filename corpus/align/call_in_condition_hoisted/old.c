int limit(void);

unsigned sum(const unsigned char *v)
{
    unsigned s = 0;
    int i;

    for (i = 0; i < limit(); i++)
        s += v[i];
    return s;
}
