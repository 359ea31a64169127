#include <stdlib.h>

void release(char *p)
{
    if (p != NULL)
        free(p);
}
