#include <stdlib.h>

int consume(int *p)
{
    int v = p ? *p : 0;
    free(p);
    return v;
}
