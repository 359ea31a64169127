#include <stddef.h>

size_t span_until(const char *s, const char *reject)
{
    size_t n, k;

    for (n = 0; s[n] != 0; n++)
        for (k = 0; reject[k] != 0; k++)
            if (s[n] == reject[k])
                return n;
    return n;
}
