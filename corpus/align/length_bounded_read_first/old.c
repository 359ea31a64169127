#include <stddef.h>

size_t length(const char *s, size_t most)
{
    size_t n;

    for (n = 0; n < most; n++)
        if (s[n] == 0)
            return n;
    return most;
}
