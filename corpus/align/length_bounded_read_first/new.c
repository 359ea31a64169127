#include <stddef.h>

size_t length(const char *s, size_t most)
{
    const char *p = s;

    while (*p != 0 && most > 0) {
        p++;
        most--;
    }
    return p - s;
}
