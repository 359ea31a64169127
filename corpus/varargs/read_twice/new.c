#include <stdarg.h>

double mixed(int n, ...)
{
    va_list list, again;
    double sum = 0;

    va_start(list, n);
    va_copy(again, list);
    sum += va_arg(list, double);
    sum += va_arg(list, int);
    if (n == 3)
        sum += va_arg(again, double);
    va_end(again);
    va_end(list);
    return sum;
}
