#include <stddef.h>

int record_fits(size_t len)
{
    return len <= 4096;
}
