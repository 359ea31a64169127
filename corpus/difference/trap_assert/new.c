#include <assert.h>

int f(int n)
{
    assert(n < 100);
    return n * 2;
}
