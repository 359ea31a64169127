#include <stdlib.h>

int take(int *p)
{
    int v;

    if (!p)
        return 0;
    v = *p;
    free(p);
    return v;
}
