#include <stdatomic.h>
static _Atomic int hits;
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* The number of hits before this one; none is counted while busy. */
int hit(int n) {
    if (atomic_flag_test_and_set(&busy))
        return -1;
    int before = atomic_fetch_add(&hits, n);
    atomic_flag_clear(&busy);
    return before;
}

int take(int expected) {
    return atomic_compare_exchange_strong(&hits, &expected, 0) ? 1 : expected;
}
