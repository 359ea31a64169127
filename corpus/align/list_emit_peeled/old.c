void put(int c);

struct node {
    int value;
    struct node *next;
};

void show(const struct node *list)
{
    while (list != 0) {
        put(list->value);
        list = list->next;
        if (list != 0)
            put(',');
    }
}
