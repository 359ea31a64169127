#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

struct node *reverse(struct node *l)
{
    struct node *done = NULL;

    while (l != NULL) {
        struct node *next;

        l->next = done;
        next = l->next;
        done = l;
        l = next;
    }
    return done;
}
