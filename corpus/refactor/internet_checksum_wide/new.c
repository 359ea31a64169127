#include <stdint.h>

uint16_t checksum4(uint32_t w0, uint32_t w1)
{
    uint64_t sum = (uint64_t)w0 + w1;

    sum = (sum & 0xffffffff) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}
