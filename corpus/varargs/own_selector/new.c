#include <stdarg.h>

static int pick(int which, ...)
{
    va_list ap;
    int a, b;

    va_start(ap, which);
    a = va_arg(ap, int);
    b = va_arg(ap, int);
    va_end(ap);
    return which ? a : b;
}

int choose(int which)
{
    return pick(which, 10, 20);
}
