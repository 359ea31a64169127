int ones(unsigned x)
{
    int n = 0;

    for (; x != 0; x >>= 2) {
        switch (x & 3) {
        case 1:
        case 2:
            n++;
            break;
        case 3:
            n += 2;
        }
    }
    return n;
}
