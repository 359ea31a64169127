struct node {
    int value;
    struct node *next;
};

struct node *remove_first(struct node *head, int x)
{
    struct node *p, *before = 0;

    for (p = head; p != 0; before = p, p = p->next)
        if (p->value == x) {
            if (before == 0)
                return p->next;
            before->next = p->next;
            break;
        }
    return head;
}
