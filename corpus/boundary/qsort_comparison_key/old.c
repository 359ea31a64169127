#include <stdlib.h>

struct item {
    int number, weight;
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

void order(struct item *v)
{
    qsort(v, 3, sizeof v[0], compare);
}
