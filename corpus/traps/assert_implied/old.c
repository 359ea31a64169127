#include <assert.h>

unsigned slot(unsigned hash)
{
    unsigned s = hash % 16;
    return s * 2;
}
