#include <stdlib.h>

void finish(int err)
{
    if (err == 7)
        exit(3);
    exit(err != 0);
}
