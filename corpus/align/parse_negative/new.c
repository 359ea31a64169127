int parse(const char *s)
{
    int x = 0;
    unsigned digit;

    for (; (digit = (unsigned)*s - '0') < 10; s++)
        x = x * 10 - (int)digit;
    return -x;
}
