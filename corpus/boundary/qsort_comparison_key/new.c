#include <stdlib.h>

struct item {
    int number, weight;
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

void order(struct item *v)
{
    qsort(v, 3, sizeof v[0], compare);
}
