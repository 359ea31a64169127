#include <stdint.h>

int same_run(uint8_t prev, uint8_t cur, unsigned run)
{
    return prev == cur && run <= 255;
}
