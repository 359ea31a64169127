#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    if (x < y)
        return -1;
    if (x > y)
        return 1;
    return 0;
}

void sort_four(int *v)
{
    qsort(v, 4, sizeof v[0], compare);
}
