/* Unchanged functions that allocate or free are called in another order, once more, once less, or looked at more closely. */
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct node *numbers(int n) {
    struct node *first = 0;
    for (int i = 0; i < n; i++) {
        struct node *one = malloc(sizeof *one);
        if (!one)
            break;
        one->value = i;
        one->next = first;
        first = one;
    }
    return first;
}

void release(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int used_after_release(void) {
    struct node *list = numbers(3);
    if (!list)
        return 0;
    release(list);
    return list->value;
}

int released_twice(void) {
    struct node *list = numbers(2);
    release(list);
    release(list);
    return 1;
}

int beyond_the_end(void) {
    struct node *list = numbers(2);
    if (!list)
        return 0;
    return list[0].value + 0 * list[4].value;
}

int *not_released(int *p) {
    struct node *list = (struct node *)p;
    release(list);
    return (int *)list;
}

int order_of_calls(int n) {
    struct node *two = numbers(n), *one = numbers(2);
    return one && two ? one->value : -1;
}
