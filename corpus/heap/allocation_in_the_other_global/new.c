#include <stdlib.h>

char *first, *second;

int prepare(void)
{
    second = malloc(16);
    first = calloc(1, 8);
    return first && second;
}
