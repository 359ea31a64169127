#include "ring.h"
#include <setjmp.h>
#include <stdio.h>

static int add(int a, int b) {
    return a + b;
}

static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
}

static jmp_buf failed;

/* setjmp returns twice: the model cannot express that, and says so. */
static int careful(struct ring *ring) {
    if (setjmp(failed))
        return 0;
    return ring_fold(ring, add, 0);
}

int apply(struct ring *ring, char operation) {
    switch (operation) {
    case '+':
        return ring_fold(ring, add, 0);
    case 'g':
        return ring_fold(ring, gcd, 0);
    default:
        return careful(ring);
    }
}

int main(void) {
    struct ring ring = {0};
    int number;
    while (scanf("%d", &number) == 1 && ring_push(&ring, number))
        ;
    printf("%d\n", apply(&ring, '+'));
    return 0;
}
