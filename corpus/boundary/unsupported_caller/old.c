#include <stdarg.h>

static int base(void)
{
    return 1;
}

int first(int n, ...)
{
    va_list list;
    int value;

    va_start(list, n);
    value = va_arg(list, int);
    va_end(list);
    return n + value + base();
}

int use(int x)
{
    return first(1, x);
}
