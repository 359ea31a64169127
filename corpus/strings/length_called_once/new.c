#include <string.h>

size_t doubled_length(const char *s)
{
    size_t n = strlen(s);
    return n * 2;
}
