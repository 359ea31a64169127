void put(int c);

struct node {
    int value;
    struct node *next;
};

void show(const struct node *list)
{
    if (list == 0)
        return;
    put(list->value);
    while ((list = list->next) != 0) {
        put(',');
        put(list->value);
    }
}
