#include <stddef.h>

int fits(size_t len)
{
    char name[64];
    return len < sizeof name;
}
