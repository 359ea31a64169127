#include <stdlib.h>

int is_before(void)
{
    int *p = malloc(sizeof(int));
    int *q = malloc(sizeof(int));
    int r = p < q;

    free(p);
    free(q);
    return r;
}
