#include <stddef.h>
#include <stdint.h>

struct header {
    uint32_t magic;
    uint16_t version;
};

int header_fits(size_t len)
{
    return len >= sizeof(struct header);
}
