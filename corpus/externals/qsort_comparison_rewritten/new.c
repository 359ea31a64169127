#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void sort_four(int *v)
{
    qsort(v, 4, sizeof v[0], compare);
}
