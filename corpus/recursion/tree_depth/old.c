#include <stddef.h>

struct tree {
    int key;
    struct tree *left;
    struct tree *right;
};

int depth(const struct tree *t)
{
    int l, r;

    if (t == NULL)
        return 0;
    l = depth(t->left);
    r = depth(t->right);
    return 1 + (l > r ? l : r);
}
