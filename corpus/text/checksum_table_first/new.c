static unsigned char table[256];

static void make(void)
{
    unsigned i, k, value;

    for (i = 0; i < 256; i++) {
        value = i;
        for (k = 0; k < 8; k++)
            value = value & 1 ? 0xb8u ^ value >> 1 : value >> 1;
        table[i] = value;
    }
}

int check(const unsigned char data[4])
{
    make();
    if (data[0] != 'T')
        return -1;
    if (data[1] != table[data[0]])
        return -2;
    if ((data[2] ^ data[1]) != 0x5a)
        return -3;
    return data[3] & 127;
}
