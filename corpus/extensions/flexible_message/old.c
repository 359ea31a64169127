#include <stdlib.h>
struct message { unsigned length; unsigned char text[]; };

struct message *make(unsigned length, unsigned char fill) {
    if (length > 3)
        length = 3;
    struct message *m = malloc(sizeof *m + length);
    if (!m)
        return 0;
    m->length = length;
    if (length > 0) m->text[0] = fill;
    if (length > 1) m->text[1] = fill;
    if (length > 2) m->text[2] = fill;
    return m;
}
