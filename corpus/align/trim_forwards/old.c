#include <stddef.h>

size_t trimmed(const char *s)
{
    size_t n = 0;

    while (s[n] != 0)
        n++;
    while (n > 0 && s[n - 1] == ' ')
        n--;
    return n;
}
