#include <stddef.h>

struct tree {
    int key;
    struct tree *left;
    struct tree *right;
};

const struct tree *find(const struct tree *t, int key)
{
    while (t != NULL && t->key != key)
        t = key < t->key ? t->left : t->right;
    return t;
}
