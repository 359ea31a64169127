#include <stdlib.h>

char *first, *second;

int prepare(void)
{
    second = calloc(1, 8);
    first = malloc(16);
    return first && second;
}
