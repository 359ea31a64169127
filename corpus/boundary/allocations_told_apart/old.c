#include <stdlib.h>

int are_same(void)
{
    int *p = malloc(sizeof(int));
    int *q = malloc(sizeof(int));
    int r = p && p == q;

    free(p);
    free(q);
    return r;
}
