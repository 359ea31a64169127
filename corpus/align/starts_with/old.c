#include <stddef.h>

int starts_with(const char *s, const char *prefix)
{
    size_t i;

    for (i = 0; prefix[i] != 0; i++)
        if (s[i] != prefix[i])
            return 0;
    return 1;
}
