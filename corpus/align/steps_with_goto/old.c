int steps(unsigned x, int most)
{
    int n = 0;

    while (n < most) {
        if (x == 1)
            break;
        if (x % 2 == 0)
            x /= 2;
        else
            x = 3 * x + 1;
        n++;
    }
    return n;
}
