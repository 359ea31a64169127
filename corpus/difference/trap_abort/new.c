#include <stdlib.h>

int f(int n)
{
    if (n == 13)
        abort();
    return n;
}
