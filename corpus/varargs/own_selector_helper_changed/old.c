#include <stdarg.h>

static int scale(int x) { return x * 2; }

int pick(int which, ...)
{
    va_list list;
    va_start(list, which);
    int first = va_arg(list, int);
    int second = va_arg(list, int);
    va_end(list);
    return scale(which ? first : second);
}

int choose(int which, int x) { return pick(which, x, 7); }
