int log_floor(unsigned x)
{
    int n = 0;

    while (x > 1 && n < 31) {
        x /= 2;
        n++;
    }
    return n;
}
