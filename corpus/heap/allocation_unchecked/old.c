#include <stdlib.h>

int boxed(int x)
{
    int *p = malloc(sizeof *p);
    int v;

    if (!p)
        return -1;
    *p = x;
    v = *p;
    free(p);
    return v;
}
