/* Packets on a serial line: a small queue, its checks, its log. Version 1. */
#include <setjmp.h>
#include <stdio.h>

#define CAPACITY 16
#define HEADER 4

struct queue {
    unsigned head, count;
    unsigned char slots[CAPACITY];
};

/* Unchanged. */
unsigned next_slot(unsigned i) {
    return i + 1 == CAPACITY ? 0 : i + 1;
}

/* Rewritten without a branch: still the same. */
int sign(int x) {
    if (x > 0)
        return 1;
    return x < 0 ? -1 : 0;
}

/* How many bytes of a packet are payload. */
int payload(int length) {
    if (length < HEADER || length > 255)
        return -1;
    return length - HEADER;
}

/* Whether a packet of this size still fits. */
int fits(unsigned used, unsigned size) {
    return used + size <= CAPACITY;
}

int push(struct queue *q, unsigned char byte) {
    if (q->count == CAPACITY)
        return 0;
    q->slots[(q->head + q->count) % CAPACITY] = byte;
    q->count++;
    return 1;
}

/* Percentage of bad packets. */
int loss(int bad, int all) {
    if (all == 0)
        return 0;
    return 100 * bad / all;
}

void report(int code) {
    if (code > 9)
        puts("error");
    else
        puts("warning");
}

static jmp_buf lost;

int receive(int length) {
    if (setjmp(lost))
        return 0;
    return payload(length);
}

int is_sync(int byte) {
    return byte == 0x7e;
}
