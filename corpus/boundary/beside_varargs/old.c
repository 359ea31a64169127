#include <stdarg.h>

int gather(int n, int *out, int scale, ...)
{
    va_list list;
    int i, total = 0;

    va_start(list, scale);
    for (i = 0; i < n; i++) {
        int value = va_arg(list, int);

        value = (value + value) * scale;
        out[i] = value;
        total += value;
    }
    va_end(list);
    return total;
}
