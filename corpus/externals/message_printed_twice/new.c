#include <errno.h>
#include <stdio.h>
#include <string.h>

void complain(const char *name) {
    const char *why = strerror(ENOENT);
    if (why[0] == '\0')
        why = "unknown";
    printf("%s: %s\n", name, why);
    puts(why);
}
