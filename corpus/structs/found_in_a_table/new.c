#include <stdlib.h>
#include <string.h>

/* A table with a seal: what is in it counts only if the seal fits. */
struct entry {
    char *key;
    int value;
    struct entry *next;
};

struct table {
    unsigned seal;
    unsigned count;
    struct entry **slots;
};

static unsigned seal_of(const struct table *t) {
    return t->count * 2654435761u ^ 0x5ea1ed1du;
}

static unsigned slot_of(const char *key) {
    unsigned sum = 7;
    while (*key)
        sum = sum * 31 + (unsigned char)*key++;
    return sum % 8;
}

struct table *table_new(void) {
    struct table *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    t->slots = calloc(8, sizeof *t->slots);
    if (!t->slots) {
        free(t);
        return NULL;
    }
    t->count = 0;
    t->seal = seal_of(t);
    return t;
}

int table_put(struct table *t, const char *key, int value) {
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return -1;
    e->key = strdup(key);
    if (!e->key) {
        free(e);
        return -1;
    }
    e->value = value;
    unsigned at = slot_of(key);
    e->next = t->slots[at];
    t->slots[at] = e;
    t->count++;
    t->seal = seal_of(t);
    return 0;
}

static struct entry *find(const struct table *t, const char *key) {
    if (t->seal != seal_of(t))
        return NULL;
    for (struct entry *e = t->slots[slot_of(key)]; e; e = e->next)
        if (strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

/* How wide the window is. */
int width_of(const struct table *t) {
    const struct entry *e = find(t, "width");
    if (!e)
        return 80;
    return e->value <= 3 ? 4 : e->value;
}
