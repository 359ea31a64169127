#include <stdint.h>

static uint8_t step(uint8_t crc)
{
    return (uint8_t)(crc << 1) ^ (crc >> 7 ? 0x31 : 0);
}

uint8_t crc8(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    crc = step(crc);
    crc = step(crc);
    crc = step(crc);
    crc = step(crc);
    crc = step(crc);
    crc = step(crc);
    crc = step(crc);
    return step(crc);
}
