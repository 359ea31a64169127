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
    int all = 0;
    if (!one) {
        release(two);
        goto out;
    }
    if (two)
        all = (sum(one) + sum(two)) << 1;
    release(one);
    if (two)
        release(two);
out:
    return all;
}
