struct node {
    int value;
    struct node *next;
};

int lib(int x)
{
    return (x > 0) - (x < 0);
}

int balance(const struct node *n)
{
    if (!n)
        return 0;
    return lib(n->value) + balance(n->next);
}
