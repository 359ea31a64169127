/* A queue of numbers in a ring of fixed size. */
#ifndef RING_H
#define RING_H

enum { RING_SIZE = 8 };

struct ring {
    unsigned head;
    unsigned count;
    int slots[RING_SIZE];
};

int ring_push(struct ring *ring, int value);
int ring_pop(struct ring *ring, int *value);
int ring_fold(const struct ring *ring, int (*step)(int, int), int start);

#endif
