#include <stddef.h>

const char *find_last(const char *s, char c)
{
    const char *last = NULL;

    do {
        if (*s == c)
            last = s;
    } while (*s++ != 0);
    return last;
}
