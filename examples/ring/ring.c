#include "ring.h"

static unsigned wrap(unsigned index) {
    return index % RING_SIZE;
}

int ring_push(struct ring *ring, int value) {
    if (ring->count == RING_SIZE)
        return 0;
    ring->slots[wrap(ring->head + ring->count)] = value;
    ring->count++;
    return 1;
}

int ring_pop(struct ring *ring, int *value) {
    if (!ring->count)
        return 0;
    *value = ring->slots[ring->head];
    ring->head = wrap(ring->head + 1);
    ring->count--;
    return 1;
}

int ring_fold(const struct ring *ring, int (*step)(int, int), int start) {
    int result = start;
    for (unsigned i = 0; i < ring->count; i++)
        result = step(result, ring->slots[wrap(ring->head + i)]);
    return result;
}
