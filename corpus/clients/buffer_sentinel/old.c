void lib(int *out, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        out[i] = i * 3;
    out[n] = -1;
}

int count(unsigned n)
{
    int buffer[8], i = 0;

    lib(buffer, n & 7);
    while (buffer[i] >= 0)
        i++;
    return i;
}
