#include <stddef.h>

char *append(char *to, const char *from)
{
    size_t n = 0, i = 0;
    char c;

    while (to[n] != 0)
        n++;
    do {
        c = from[i];
        to[n + i] = c;
        i++;
    } while (c != 0);
    return to;
}
