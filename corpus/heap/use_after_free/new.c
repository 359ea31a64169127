#include <stdlib.h>

int take(int *p)
{
    if (!p)
        return 0;
    free(p);
    return *p;
}
