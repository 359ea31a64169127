#include <stddef.h>

int same(const char *a, const char *b, size_t n)
{
    for (; n >= 4; n -= 4, a += 4, b += 4)
        if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2] || a[2] != b[2])
            return 0;
    for (; n > 0; n--)
        if (*a++ != *b++)
            return 0;
    return 1;
}
