struct node {
    int value;
    struct node *next;
};

struct node *remove_first(struct node *head, int x)
{
    struct node **link = &head;

    while (*link != 0 && (*link)->value != x)
        link = &(*link)->next;
    while (*link != 0 && (*link)->value == x)
        *link = (*link)->next;
    return head;
}
