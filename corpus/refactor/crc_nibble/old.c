#include <stdint.h>

static uint8_t crc_bit(uint8_t crc)
{
    return (uint8_t)(crc & 0x80 ? crc << 1 ^ 0x07 : crc << 1);
}

uint8_t crc_nibble(uint8_t crc)
{
    return crc_bit(crc_bit(crc_bit(crc_bit(crc))));
}
