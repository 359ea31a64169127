#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int find(const struct node *l, int v, int i)
{
    int later;

    if (l == NULL)
        return -1;
    later = find(l->next, v, i + 1);
    if (later != -1)
        return later;
    return l->value == v ? i : -1;
}
