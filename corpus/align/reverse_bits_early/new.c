unsigned reverse(unsigned x)
{
    unsigned r = 0;
    int left;

    for (left = 32; x != 0; left--) {
        r = r << 1 | (x & 1);
        x >>= 1;
    }
    return left < 32 ? r << left : 0;
}
