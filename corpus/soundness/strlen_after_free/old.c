#include <stdlib.h>
#include <string.h>

int length(void) {
    char *p = malloc(4);
    if (!p)
        return 7;
    p[0] = 0;
    free(p);
    return (int)strlen(p);
}
