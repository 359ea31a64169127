struct node {
    struct node *next;
    int value;
};

int second(const struct node *n)
{
    n = n->next;
    return n->value;
}
