#include <stdbool.h>

int has_flag(unsigned flags)
{
    return !!(flags & 256);
}
