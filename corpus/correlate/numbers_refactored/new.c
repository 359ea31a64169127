int printf(const char *format, ...);
int puts(const char *text);

void print_numbers(long first, long last)
{
    int out_of_range = last < first;

    if (!out_of_range) {
        long x = first;
        long i;
        for (i = 1;; i++) {
            printf("%ld", x);
            x = first + i * 2;
            out_of_range = last < x;
            if (out_of_range)
                break;
            puts(",");
        }
        puts("");
    }
}
