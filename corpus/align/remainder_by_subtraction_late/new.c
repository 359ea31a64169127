unsigned last_digit(unsigned x)
{
    return x % 10;
}
