#include <stddef.h>

int compare(const unsigned char *a, const unsigned char *b, size_t n)
{
    int d = 0;

    while (n-- > 0)
        d = *a++ - *b++;
    return d;
}
