int digit_sum(unsigned x)
{
    int s = 0;

    do {
        s += x % 10;
    } while ((x /= 10) != 0);
    return s;
}
