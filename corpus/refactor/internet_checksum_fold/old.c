#include <stdint.h>

uint16_t checksum4(uint32_t w0, uint32_t w1)
{
    uint32_t sum = (w0 & 0xffff) + (w0 >> 16) + (w1 & 0xffff) + (w1 >> 16);

    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}
