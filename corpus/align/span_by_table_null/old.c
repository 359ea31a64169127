#include <stddef.h>

size_t span(const char *s, const char *accept, unsigned char count)
{
    size_t n;
    int k;

    for (n = 0; s[n] != 0; n++) {
        for (k = 0; k < count && accept[k] != s[n]; k++)
            ;
        if (k == count)
            break;
    }
    return n;
}
