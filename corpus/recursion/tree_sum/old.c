#include <stddef.h>

struct tree {
    int key;
    struct tree *left;
    struct tree *right;
};

int sum(const struct tree *t)
{
    if (t == NULL)
        return 0;
    return sum(t->left) + t->key + sum(t->right);
}
