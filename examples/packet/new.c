/* Packets on a serial line: a small queue, its checks, its log. Version 2. */
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
    return (x > 0) - (x < 0);
}

/* How many bytes of a packet are payload. */
int payload(int length) {
    if (length <= HEADER || length > 255)
        return -1;
    return length - HEADER;
}

/* Whether a packet of this size still fits. */
int fits(unsigned used, unsigned size) {
    return size <= CAPACITY - used;
}

int push(struct queue *q, unsigned char byte) {
    if (q->count == CAPACITY)
        return 0;
    q->count++;
    q->slots[(q->head + q->count) % CAPACITY] = byte;
    return 1;
}

/* Percentage of bad packets. */
int loss(int bad, int all) {
    return 100 * bad / all;
}

void report(int code) {
    if (code >= 9)
        puts("error");
    else
        puts("warning");
}

static jmp_buf lost;

int receive(int length) {
    if (setjmp(lost))
        return -1;
    return payload(length);
}

int is_frame_end(int byte) {
    return byte == 0x7e || byte == 0x7f;
}
