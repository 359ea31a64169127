struct node {
    int value;
    struct node *next;
};

int largest(const struct node *list)
{
    const struct node *best = list;

    if (list == 0)
        return 0;
    while ((list = list->next) != 0)
        if (list->value > best->value)
            best = list;
    return best->value;
}
