unsigned last_digit(unsigned x)
{
    while (x > 10)
        x -= 10;
    return x;
}
