unsigned quotient(unsigned x, unsigned d)
{
    unsigned q = 0;

    while (x >= d) {
        x -= d;
        q++;
    }
    return q;
}
