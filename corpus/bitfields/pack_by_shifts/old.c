#include <stdint.h>
#include <string.h>

struct date {
    uint32_t day : 5;
    uint32_t month : 4;
    uint32_t year : 23;
};

uint32_t pack(uint32_t y, uint32_t m, uint32_t d)
{
    struct date v = {0};
    uint32_t out;

    v.day = d;
    v.month = m;
    v.year = y;
    memcpy(&out, &v, sizeof out);
    return out;
}
