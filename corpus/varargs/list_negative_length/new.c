#include <stdarg.h>
#include <stddef.h>
#include <string.h>

size_t text_length(va_list args) {
    const char *text = va_arg(args, const char *);
    if (text[0] == '#') {
        int length = va_arg(args, int);
        return length < 0 ? 0 : length;
    }
    return strlen(text);
}
