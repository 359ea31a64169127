struct node {
    int value;
    struct node *next;
};

int lib(int x)
{
    return (x > 0) - (x < 0);
}

int negatives(const struct node *n)
{
    if (!n)
        return 0;
    return (lib(n->value) < 0) + negatives(n->next);
}
