int digits(unsigned x)
{
    int n = 0;

    while (x > 0) {
        n++;
        x /= 10;
    }
    return n;
}
