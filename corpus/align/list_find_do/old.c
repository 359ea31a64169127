struct node {
    int value;
    struct node *next;
};

const struct node *find(const struct node *list, int x)
{
    for (; list != 0; list = list->next)
        if (list->value == x)
            return list;
    return 0;
}
