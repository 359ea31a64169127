struct node {
    int value;
    struct node *next;
};

int last(const struct node *list)
{
    const struct node *p = 0;

    for (; list != 0; list = list->next)
        p = list;
    return p != 0 ? p->value : -1;
}
