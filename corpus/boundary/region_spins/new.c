int mix(int x)
{
    int i, s = 0;

    x &= 255;
    for (i = 0; i < 4; i++)
        s += x << i;
    while (x == 3) {
    }
    for (i = 0; i < 3; i++)
        s ^= s >> (i + 1);
    return s;
}
