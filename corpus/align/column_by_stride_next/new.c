#include <stddef.h>

int column(const int *m, size_t width, size_t at, unsigned rows)
{
    int s = 0;

    m += at;
    while (rows-- > 0) {
        s += *m;
        m += width + 1;
    }
    return s;
}
