struct cell {
    unsigned b : 8;
};

int replicate(unsigned x)
{
    struct cell c = {0};
    c.b = x & 0xff;
    return c.b << 24 >> 20;
}
