#include <stddef.h>

size_t trimmed(const char *s)
{
    size_t i, n = 0;

    for (i = 0; s[i] != 0; i++)
        if (s[i] != ' ')
            n = i;
    return n;
}
