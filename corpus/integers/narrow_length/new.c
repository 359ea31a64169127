#include <stddef.h>

int record_fits(size_t len)
{
    unsigned short n = (unsigned short)len;
    return n <= 4096;
}
