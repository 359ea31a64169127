#include <stdlib.h>

void finish(int err)
{
    exit(err ? 1 : 0);
}
