#include <stdint.h>

uint8_t crc8(uint8_t crc, uint8_t byte)
{
    int i;

    crc ^= byte;
    for (i = 1; i < 8; i++)
        crc = (uint8_t)(crc & 0x80 ? crc << 1 ^ 0x31 : crc << 1);
    return crc;
}
