#include <stdlib.h>

void release(char *p)
{
    free(p);
}
