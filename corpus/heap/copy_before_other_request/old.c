#include <stdlib.h>
#include <string.h>

char *name;

void set_name(void)
{
    char *copy = strdup("abc");

    free(malloc(4));
    name = copy;
}
