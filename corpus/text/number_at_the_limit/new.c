#include <stdlib.h>

/* Whether the text is a number that is not too large. */
int is_accepted(const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0')
        return 0;
    return value <= 100.5;
}
