#include "ring.h"
#include <stdarg.h>
#include <stdio.h>

static int add(int a, int b) {
    return a + b;
}

static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
}

/* Reads its own variable arguments: the model cannot express that, and says so. */
static int largest(int count, ...) {
    va_list rest;
    int best = 0;
    va_start(rest, count);
    while (count-- > 0) {
        int next = va_arg(rest, int);
        if (next > best)
            best = next;
    }
    va_end(rest);
    return best;
}

int apply(struct ring *ring, char operation) {
    switch (operation) {
    case '+':
        return ring_fold(ring, add, 0);
    case 'g':
        return ring_fold(ring, gcd, 0);
    default:
        return largest(2, 1, ring->count);
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
