#include <stdarg.h>

struct problem { int code; int line; long size; double share; };

static void report(struct problem *p, int code, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    p->code = code;
    p->line = va_arg(list, int);
    p->size = va_arg(list, long);
    p->share = va_arg(list, double);
    va_end(list);
}

int check(struct problem *p, int line, long size)
{
    if (size > 4096) {
        report(p, 3, "line %d: %ld bytes (%f)", line, size - 1, 0.5);
        return -1;
    }
    return 0;
}
