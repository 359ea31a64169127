#include <stdlib.h>

char *first, *second;

int prepare(void)
{
    first = malloc(16);
    second = calloc(1, 8);
    return first && second;
}
