int lib(int x)
{
    return x > 15 ? -2 : x * x + 1;
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
    return s;
}
