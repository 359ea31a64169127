void put(int c);

void print(unsigned x)
{
    char digits[10];
    int n = 0;

    do {
        digits[n++] = '0' + x % 10;
        x /= 10;
    } while (x != 0);
    while (n > 0)
        put(digits[--n]);
}
