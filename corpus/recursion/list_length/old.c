#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

unsigned length(const struct node *l)
{
    if (l == NULL)
        return 0;
    return 1 + length(l->next);
}
