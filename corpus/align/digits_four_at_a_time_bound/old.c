int digits(unsigned x)
{
    int n = 0;

    do {
        n++;
        x /= 10;
    } while (x != 0);
    return n;
}
