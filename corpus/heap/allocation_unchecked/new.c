#include <stdlib.h>

int boxed(int x)
{
    int *p = malloc(sizeof *p);
    int v;

    *p = x;
    v = *p;
    free(p);
    return v;
}
