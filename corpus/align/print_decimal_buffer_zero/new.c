void put(int c);

void print(unsigned x)
{
    char digits[10];
    int n = 0;

    for (; x != 0; x /= 10)
        digits[n++] = '0' + x % 10;
    while (n > 0)
        put(digits[--n]);
}
