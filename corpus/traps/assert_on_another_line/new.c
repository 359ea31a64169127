#include <assert.h>

/* A ring of at most eight numbers. */
struct queue {
    unsigned first, count;
    int items[8];
};

/* Takes the oldest one. */
int take(struct queue *q) {
    assert(q != 0);
    assert(q->count > 0);
    int item = q->items[q->first & 7];
    q->first = (q->first + 1) & 7;
    q->count--;
    assert(q->count < 8);
    return item;
}

int peek(const struct queue *q) {
    assert(q->count > 0);
    return q->items[q->first % 8];
}
