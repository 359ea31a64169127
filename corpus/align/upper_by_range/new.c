#include <stddef.h>

void upper(char *s)
{
    size_t i;
    char c;

    for (i = 0; (c = s[i]) != 0; i++)
        if ((unsigned)(c - 'a') < 26)
            s[i] = c & ~0x20;
}
