#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

void sort_pair(int *v)
{
    qsort(v, 2, sizeof v[0], compare);
}
