int lib(int x)
{
    return x > 15 ? -1 : x * x + 1;
}

int mix(int x)
{
    int s = 0;

    if (x & 1)
        s += lib((x >> 0) & 15);
    if (x & 2)
        s += lib((x >> 1) & 15);
    if (x & 4)
        s += lib((x >> 2) & 15);
    if (x & 8)
        s += lib((x >> 3) & 15);
    if (x & 16)
        s += lib((x >> 4) & 15);
    if (x & 32)
        s += lib((x >> 5) & 15);
    if (x & 64)
        s += lib((x >> 6) & 15);
    if (x & 128)
        s += lib((x >> 7) & 15);
    if (x & 256)
        s += lib((x >> 8) & 15);
    if (x & 512)
        s += lib((x >> 9) & 15);
    if (x & 1024)
        s += lib((x >> 10) & 15);
    if (x & 2048)
        s += lib((x >> 11) & 15);
    if (x & 4096)
        s += lib((x >> 12) & 15);
    if (x & 8192)
        s += lib((x >> 13) & 15);
    if (x & 16384)
        s += lib((x >> 14) & 15);
    return s;
}
