#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int contains(const struct node *l, int v)
{
    if (l == NULL)
        return 0;
    if (l->value == v)
        return 1;
    return contains(l->next, v);
}
