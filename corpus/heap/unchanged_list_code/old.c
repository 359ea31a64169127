/* Functions that allocate, loop and free did not change; the code around their calls did. */
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

int sum(const struct node *list) {
    int all = 0;
    for (; list; list = list->next)
        all += list->value;
    return all;
}

void release(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int tested_twice(int n) {
    struct node *list = numbers(n);
    if (list == 0)
        return -1;
    int all;
    if (list) {
        all = sum(list);
        release(list);
    } else {
        all = -1;
    }
    return all;
}

int cleaned_up(int n, int m) {
    struct node *one = numbers(n), *two = numbers(m);
    if (!one) {
        release(two);
        return 0;
    }
    if (!two) {
        release(one);
        return 0;
    }
    int all = sum(one) * 2 + sum(two) * 2;
    release(one);
    release(two);
    return all;
}
