#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int find(const struct node *l, int v, int i)
{
    if (l == NULL)
        return -1;
    if (l->value == v)
        return i;
    return find(l->next, v, i + 1);
}
