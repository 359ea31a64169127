#include <stdlib.h>

int sum_boxed(int x, int y)
{
    int *b = malloc(sizeof *b);
    int *a = malloc(sizeof *a);
    int r = -1;

    if (a && b) {
        *b = y;
        *a = x;
        r = *a + *b;
    }
    free(b);
    free(a);
    return r;
}
