#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int contains(const struct node *l, int v)
{
    return l != NULL && (l->value == v || contains(l->next, v));
}
