#include <stdlib.h>
#include <string.h>

char *name;

void set_name(void)
{
    char *copy;

    free(malloc(4));
    copy = strdup("abc");
    name = copy;
}
