int printf(const char *format, ...);
int puts(const char *text);

void print_numbers(long first, long last)
{
    long i;

    for (i = 0;; i++) {
        long x = first + i * 2;
        if (last < x)
            break;
        if (i)
            puts(",");
        printf("%ld", x);
    }
    if (i)
        puts("");
}
