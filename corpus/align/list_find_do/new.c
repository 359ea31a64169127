struct node {
    int value;
    struct node *next;
};

const struct node *find(const struct node *list, int x)
{
    if (list == 0)
        return 0;
    do {
        if (list->value == x)
            break;
        list = list->next;
    } while (list != 0);
    return list;
}
