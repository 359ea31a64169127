#include <stddef.h>

struct tree {
    int key;
    struct tree *left;
    struct tree *right;
};

const struct tree *find(const struct tree *t, int key)
{
    if (t == NULL || t->key == key)
        return t;
    if (key < t->key)
        return find(t->left, key);
    return find(t->right, key);
}
