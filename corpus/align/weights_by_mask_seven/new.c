static const unsigned char weight[8] = {3, 1, 4, 1, 5, 9, 2, 6};

int weigh(unsigned char x)
{
    const unsigned char *w = weight;
    unsigned mask;
    int s = 0;

    for (mask = 1; mask < 128; mask <<= 1, w++)
        if (x & mask)
            s += *w;
    return s;
}
