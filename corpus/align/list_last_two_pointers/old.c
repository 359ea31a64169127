struct node {
    int value;
    struct node *next;
};

int last(const struct node *list)
{
    if (list == 0)
        return -1;
    while (list->next != 0)
        list = list->next;
    return list->value;
}
