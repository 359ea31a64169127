#include <stdbool.h>

int has_flag(unsigned flags)
{
    bool set = flags & 256;
    return set;
}
