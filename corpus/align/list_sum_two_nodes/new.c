struct node {
    int value;
    struct node *next;
};

int sum(const struct node *list)
{
    int s = 0;

    for (; list != 0 && list->next != 0; list = list->next->next)
        s += list->value + list->next->value;
    if (list != 0)
        s += list->value;
    return s;
}
