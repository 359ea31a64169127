#include <stddef.h>

int column(const int *m, size_t width, size_t at, unsigned rows)
{
    unsigned i;
    int s = 0;

    for (i = 0; i < rows; i++)
        s += m[i * width + at];
    return s;
}
