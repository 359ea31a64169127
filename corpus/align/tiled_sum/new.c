unsigned mix(unsigned short n)
{
    unsigned block, i, s = 0;

    for (block = 0; block < n; block += 8)
        for (i = block; i < block + 8 && i < n; i++)
            s += i * 3 + 1;
    return s;
}
