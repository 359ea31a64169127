#include <limits.h>

int size_ok(unsigned a, unsigned b)
{
    unsigned product;
    return !__builtin_mul_overflow(a, b, &product) && product != UINT_MAX;
}
