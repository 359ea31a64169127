#include <stdarg.h>

static int base(int k)
{
    return k < 0 ? 2 : k;
}

int first(int n, ...)
{
    va_list list;
    int value;

    va_start(list, n);
    value = va_arg(list, int);
    va_end(list);
    return value + base(n & 7);
}

int use(int x)
{
    return first(1, x);
}
