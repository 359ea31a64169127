#include <stdarg.h>

static int pick(int which, ...)
{
    va_list ap;
    int r;

    va_start(ap, which);
    r = va_arg(ap, int);
    if (which)
        r = va_arg(ap, int);
    va_end(ap);
    return r;
}

int choose(int which, int a, int b)
{
    return pick(which, a, b);
}
