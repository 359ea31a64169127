#include <stdlib.h>

int sum_boxed(int x, int y)
{
    int *a = malloc(sizeof *a);
    int *b = malloc(sizeof *b);
    int r = -1;

    if (a && b) {
        *a = x;
        *b = y;
        r = *a + *b;
    }
    free(a);
    free(b);
    return r;
}
