#include <assert.h>

struct queue {
    unsigned first, count;
    int items[8];
};

int take(struct queue *q) {
    assert(q != 0);
    assert(q->count > 0);
    int item = q->items[q->first % 8];
    q->first = (q->first + 1) % 8;
    q->count -= 1;
    assert(q->count < 8);
    return item;
}

int peek(const struct queue *q) {
    assert(q->count > 0);
    return q->items[q->first % 8];
}
