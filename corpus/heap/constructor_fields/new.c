#include <stdlib.h>

struct node {
    long value;
    struct node *next;
};

struct node *node_new(long value, struct node *next)
{
    struct node *n = malloc(sizeof *n);

    if (n) {
        n->next = next;
        n->value = value;
    }
    return n;
}
