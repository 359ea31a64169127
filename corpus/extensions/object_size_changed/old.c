#include <string.h>
struct pair { char name[8]; int tag; };

int copy(struct pair *p, const char *text, unsigned n) {
    if (n > __builtin_object_size(p->name, 1))
        return -1;
    if (n > 2)
        n = 2;
    memcpy(p->name, text, n);
    return (int)n;
}
