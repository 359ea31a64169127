#include <stdio.h>

static int used = 4;
static int *through = &used;
static int unseen = 1;

int other(int x) {
    unseen += x;
    return unseen;
}

int main(void) {
    printf("%d\n", *through);
    return 0;
}
