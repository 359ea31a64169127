unsigned mix(unsigned seconds)
{
    unsigned i, s = 0;

    for (i = 0; i < seconds; i++)
        s = s * 31 + i / 60 * 256 + i % 60;
    return s;
}
