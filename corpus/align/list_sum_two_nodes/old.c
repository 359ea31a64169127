struct node {
    int value;
    struct node *next;
};

int sum(const struct node *list)
{
    int s = 0;

    while (list != 0) {
        s += list->value;
        list = list->next;
    }
    return s;
}
