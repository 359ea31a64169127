unsigned digit_sum(unsigned n)
{
    unsigned sum = 0;

    while (n > 0) {
        sum += n % 10;
        n /= 10;
    }
    return sum;
}
