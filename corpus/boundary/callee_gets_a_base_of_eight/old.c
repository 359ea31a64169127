/* Reads numbers and tells each of them. */
int letter(void);
void tell(int number);

static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return -1;
}

int numbers(int n)
{
    int told = 0;

    while (n-- > 0) {
        int c = letter(), value = 0;

        while (digit(c) >= 0) {
            value = value * 10 + digit(c);
            c = letter();
        }
        tell(value);
        told++;
    }
    return told;
}
