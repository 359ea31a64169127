#include <stddef.h>

const char *any(const char *s, const char *set)
{
    size_t i = 0, k;

next:
    if (s[i] == 0)
        return NULL;
    for (k = 0; set[k] != 0 && set[k] != s[i]; k++)
        ;
    if (set[k] == 0) {
        i++;
        goto next;
    }
    return s + i;
}
