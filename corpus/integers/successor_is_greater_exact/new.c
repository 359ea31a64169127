#include <limits.h>

int has_successor(int x)
{
    return x != INT_MAX;
}
