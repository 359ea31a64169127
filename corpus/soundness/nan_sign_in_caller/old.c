#include <string.h>

float after(float x, unsigned n) {
    unsigned i = 0;
    while (i < n)
        i++;
    return x;
}

int sign(float x, unsigned n) {
    float r = after(x, n);
    unsigned u;
    memcpy(&u, &r, sizeof u);
    return u >> 31;
}
