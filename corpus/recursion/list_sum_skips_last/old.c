#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int sum(const struct node *l)
{
    if (l == NULL)
        return 0;
    return l->value + sum(l->next);
}
