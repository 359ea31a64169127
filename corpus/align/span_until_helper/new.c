#include <stddef.h>

static int has(const char *set, char c)
{
    while (*set != 0)
        if (*set++ == c)
            return 1;
    return 0;
}

size_t span_until(const char *s, const char *reject)
{
    const char *p = s;

    while (*p != 0 && !has(reject, *p))
        p++;
    return p - s;
}
