#include <stdint.h>

int key_ok(uint64_t key)
{
    return (key * UINT64_C(6364136223846793005) + 1442695040888963407) >> 56 == 0x5a;
}
