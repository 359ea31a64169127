unsigned root(unsigned short n)
{
    unsigned r = 0, odd = 1, left = n;

    while (left >= odd) {
        left -= odd;
        odd += 2;
        r++;
    }
    return r;
}
