#include <stddef.h>

size_t length(const char *s)
{
    size_t n;

    for (n = 0;; n += 4) {
        if (s[n] == 0)
            return n;
        if (s[n + 1] == 0)
            return n + 1;
        if (s[n + 2] == 0)
            return n + 2;
        if (s[n + 3] == 0)
            return n + 2;
    }
}
