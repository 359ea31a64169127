#include <stdlib.h>

void put(int n);

void check(int n)
{
    int i;

    if (n < 0)
        exit(1);
    for (i = 0; i < n; i++)
        put(i);
}
