int tail_weight(unsigned n)
{
    int w = 0;
    switch (n & 3) {
    case 3:
        w += 16;
        /* fall through */
    case 2:
        w += 4;
        /* fall through */
    case 1:
        w += 1;
    }
    return w;
}
