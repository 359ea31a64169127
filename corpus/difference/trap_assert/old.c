#include <assert.h>

int f(int n)
{
    return n * 2;
}
