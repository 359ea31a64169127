static const unsigned char bits[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

int ones(unsigned x)
{
    int n = 0;

    while (x != 0) {
        n += bits[x & 15];
        x >>= 4;
    }
    return n;
}
