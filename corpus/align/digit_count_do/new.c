int digits(unsigned x)
{
    int n = 0;

    do {
        n++;
    } while ((x /= 10) != 0);
    return n;
}
