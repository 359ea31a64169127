#include <stdlib.h>

int f(int n)
{
    if (n == 13)
        return -1;
    return n;
}
