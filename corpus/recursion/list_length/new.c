#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

unsigned length(const struct node *l)
{
    unsigned n = 0;

    while (l) {
        n++;
        l = l->next;
    }
    return n;
}
