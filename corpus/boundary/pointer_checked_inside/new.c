struct node {
    struct node *next;
    int value;
};

int second(const struct node *n)
{
    n = n->next;
    if (!n)
        return 0;
    return n->value;
}
