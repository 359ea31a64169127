#include <stddef.h>

int compare(const char *a, const char *b)
{
    unsigned char x, y;
    size_t i = 0;

    do {
        x = a[i];
        y = b[i];
        i++;
    } while (x == y || x != 0);
    return x - y;
}
