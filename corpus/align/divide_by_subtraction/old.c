unsigned quotient(unsigned x, unsigned d)
{
    unsigned q = 0;

    if (d == 0)
        return 0;
    while (x >= d) {
        x -= d;
        q++;
    }
    return q;
}
