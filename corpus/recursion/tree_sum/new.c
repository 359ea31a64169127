#include <stddef.h>

struct tree {
    int key;
    struct tree *left;
    struct tree *right;
};

int sum(const struct tree *t)
{
    int s;

    if (t == NULL)
        return 0;
    s = sum(t->left);
    s += sum(t->right);
    return s + t->key;
}
