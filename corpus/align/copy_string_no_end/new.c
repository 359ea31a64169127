#include <stddef.h>

char *copy(char *to, const char *from)
{
    size_t i;

    for (i = 0; from[i] != 0; i++)
        to[i] = from[i];
    return to;
}
