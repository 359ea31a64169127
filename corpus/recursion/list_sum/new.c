#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int sum(const struct node *l)
{
    int rest;

    if (!l)
        return 0;
    rest = sum(l->next);
    return rest + l->value;
}
