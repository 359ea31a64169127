#include <stdarg.h>

int field(const char *at, ...)
{
    va_list values;
    int first;

    va_start(values, at);
    first = va_arg(values, int);
    va_end(values);
    while (at[-1] == ' ')
        at--;
    if (at[-1] == ',' && first > 10)
        return first;
    return 0;
}
