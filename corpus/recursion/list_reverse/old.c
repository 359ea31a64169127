#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

struct node *reverse(struct node *l, struct node *done)
{
    struct node *next;

    if (l == NULL)
        return done;
    next = l->next;
    l->next = done;
    return reverse(next, l);
}
