#include <stdarg.h>

static int last_level;

int note(int level, ...)
{
    va_list list;
    int value;

    va_start(list, level);
    value = va_arg(list, int);
    va_end(list);
    last_level = level;
    return value + 1;
}

int twice(int x)
{
    int value = note(1, x);

    return value + value + last_level;
}
