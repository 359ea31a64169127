#include <stddef.h>

const char *find_last(const char *s, char c)
{
    size_t n = 0;

    while (s[n] != 0)
        n++;
    while (n-- > 0)
        if (s[n] == c)
            return s + n;
    return NULL;
}
