#include <stddef.h>

size_t length(const char *s, size_t most)
{
    const char *p = s;

    while (most > 0 && *p != 0) {
        p++;
        most--;
    }
    return p - s;
}
