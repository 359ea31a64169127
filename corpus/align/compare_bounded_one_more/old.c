#include <stddef.h>

int compare(const char *a, const char *b, size_t n)
{
    while (n > 0 && *a != 0 && *a == *b) {
        a++;
        b++;
        n--;
    }
    return n == 0 ? 0 : (unsigned char)*a - (unsigned char)*b;
}
