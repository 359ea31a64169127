struct item {
    int size;
};

struct item *next_item(struct item *after);

int total(void)
{
    int sum = 0;

    for (struct item *i = next_item(0); i; i = next_item(i)) {
        sum += i->size;
        if (sum >= 100)
            break;
    }
    return sum;
}
