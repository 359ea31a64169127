#include <stdarg.h>

/* The seventh of the integers is passed on the stack. */
static int last(int n, ...)
{
    va_list list;
    int value = 0;

    va_start(list, n);
    for (int i = 0; i < n; i++)
        value = va_arg(list, int);
    va_end(list);
    return value;
}

int seventh(int x)
{
    return last(7, 1, 2, 3, 4, 5, 6, x + 1);
}
