struct node {
    int value;
    struct node *next;
};

int largest(const struct node *list)
{
    int best;

    if (list == 0)
        return 0;
    best = 0;
    for (; list != 0; list = list->next)
        if (best < list->value)
            best = list->value;
    return best;
}
