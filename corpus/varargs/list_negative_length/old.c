#include <stdarg.h>
#include <stddef.h>
#include <string.h>

size_t text_length(va_list args) {
    const char *text = va_arg(args, const char *);
    if (text[0] == '#')
        return va_arg(args, int);
    return strlen(text);
}
